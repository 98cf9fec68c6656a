package io.idempotency.boot.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A tag with a bounded number of values. Names that are made at run time, such as a scope with a key in it, would
 * otherwise create meters until the memory is full. Values beyond the limit are counted together.
 */
public final class BoundedTag {

    /** More than an application has scopes, consumers, topics or exceptions. */
    static final int LIMIT = 500;

    private static final Logger logger = LoggerFactory.getLogger(BoundedTag.class);

    private final String key;

    private final int limit;

    private final Set<String> values = ConcurrentHashMap.newKeySet();

    private volatile boolean full;

    /** Creates the tag with the usual limit. */
    public BoundedTag(String key) {
        this(key, LIMIT);
    }

    BoundedTag(String key, int limit) {
        this.key = key;
        this.limit = limit;
    }

    /** Returns the value itself, or {@link IdempotencyMeters#OTHER} beyond the limit. */
    public String valueOf(String value) {
        if (values.contains(value)) {
            return value;
        }
        return full || !add(value) ? IdempotencyMeters.OTHER : value;
    }

    private synchronized boolean add(String value) {
        if (values.size() < limit) {
            values.add(value);
            return true;
        }
        if (!full && !values.contains(value)) {
            full = true;
            logger.warn(
                    "Meters have seen {} values of the tag '{}': all further ones are counted as '{}'. Names of scopes,"
                            + " consumers and topics are literals, and must not hold keys",
                    limit,
                    key,
                    IdempotencyMeters.OTHER);
        }
        return values.contains(value);
    }
}
