package io.idempotency.boot.logging;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.internal.claim.RequestKey;

/**
 * The keys and callers in log lines.
 *
 * @param display their form, as set by {@code idempotency.logging.keys}
 */
public record LoggedKeys(KeyDisplay display) {

    /**
     * Adds the key of an intent, and its caller if there is one.
     *
     * @param name the name of the key's value, which ends with {@code _hash} if keys are hashed
     * @param intent the intent; {@code null} if it is not known
     * @return its part of the text, with a trailing blank; may be empty
     */
    public String add(LogLine line, String name, @Nullable Intent intent) {
        if (intent == null) {
            return "";
        }
        return switch (display) {
            case SHOWN -> {
                line.add(name, intent.key().value())
                        .add("caller", intent.caller().isEmpty() ? null : intent.caller());
                yield intent.key().value() + ' ';
            }
            case HASHED -> {
                String hash = RequestKey.idOf(intent).toString();
                line.add(name + "_hash", hash);
                // With a prefix, because a client's key is often such a UUID, too.
                yield "hash:" + hash + ' ';
            }
            case OMITTED -> "";
        };
    }
}
