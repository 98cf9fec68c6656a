package io.idempotency.codec;

import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;

import io.idempotency.PayloadNotFingerprintableException;

/**
 * Makes fingerprints: SHA-256 over the version of the algorithm and the canonical JSON of a payload, written by the
 * application's own mapper, twice where a part of it writes JSON by itself. Members that this mapper hides from JSON do not
 * count.
 */
public final class Fingerprinter {

    /** The algorithm in use: a byte with this number, then the canonical JSON in UTF-8. */
    public static final int VERSION = 1;

    /** Lists in lists are written by us so far; a list that contains itself is then left to the mapper to refuse. */
    private static final int MAX_LIST_DEPTH = 100;

    private final ObjectMapper applicationMapper;

    private final ObjectMapper mapper;

    private final @Nullable StandardJson standardJson;

    private final VisibleProperties visibleProperties;

    /**
     * Creates the fingerprinter.
     *
     * @param mapper writes payloads as JSON
     */
    public Fingerprinter(ObjectMapper mapper) {
        this.applicationMapper = mapper;
        this.mapper = mapper.rebuild()
                .addModule(new SetMarkingModule())
                .enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE)
                .build();
        this.standardJson = StandardJson.of(this.mapper);
        this.visibleProperties = new VisibleProperties(mapper);
    }

    /**
     * The fingerprint of one payload.
     *
     * @param payload any value that can be written as JSON, or {@code null}
     * @return its fingerprint
     * @throws PayloadNotFingerprintableException if it cannot be written, or shows nothing to JSON
     */
    public Fingerprint of(@Nullable Object payload) {
        return hash(payload);
    }

    /**
     * The fingerprint of a method's arguments. Trailing nulls and empty Optionals do not count, so that a new optional
     * argument changes nothing for calls that do not use it.
     *
     * @param arguments the arguments in their order
     * @return their fingerprint
     * @throws PayloadNotFingerprintableException if one of them cannot be written, or shows nothing to JSON
     */
    public Fingerprint ofArguments(@Nullable Object[] arguments) {
        int length = arguments.length;
        while (length > 0 && isAbsent(arguments[length - 1])) {
            length--;
        }
        return hash(Arrays.copyOf(arguments, length));
    }

    /**
     * The fingerprint of a payload together with what it was sent to.
     *
     * @param payload the fingerprint of the payload
     * @param surroundings what has to be equal beside it
     * @return the payload's own fingerprint if nothing surrounds it
     */
    public Fingerprint within(Fingerprint payload, List<String> surroundings) {
        return surroundings.isEmpty()
                ? payload
                : hash(new Object[] {HexFormat.of().formatHex(payload.hash()), surroundings});
    }

    private static boolean isAbsent(@Nullable Object argument) {
        return argument == null || argument.equals(Optional.empty());
    }

    private Fingerprint hash(@Nullable Object payload) {
        try (FingerprintBuffers buffers = FingerprintBuffers.take()) {
            return new Fingerprint(VERSION, sha256(canonicalText(payload, buffers)));
        } catch (JacksonException notWritable) {
            throw new PayloadNotFingerprintableException(
                    "The payload cannot be written as JSON, or a part of it shows nothing to JSON: name what counts with"
                            + " fingerprint = \"...\"",
                    notWritable);
        }
    }

    private CanonicalText canonicalText(@Nullable Object payload, FingerprintBuffers buffers) {
        CanonicalText text = standardJson == null ? null : canonicalTextOfValues(payload, standardJson, buffers);
        return text == null ? canonicalTextOfJson(payload, buffers) : text;
    }

    /** Nothing if the JSON has to tell what the payload says, or why it has none. */
    private @Nullable CanonicalText canonicalTextOfValues(
            @Nullable Object payload, StandardJson standard, FingerprintBuffers buffers) {
        CanonicalText text = buffers.canonicalText();
        CanonicalGenerator generator = new CanonicalGenerator(standard, text);
        try {
            write(payload, generator, MAX_LIST_DEPTH);
        } catch (RuntimeException notWritable) {
            return null;
        }
        return generator.isUsable() ? text : null;
    }

    private CanonicalText canonicalTextOfJson(@Nullable Object payload, FingerprintBuffers buffers) {
        JsonBuffer json = buffers.json();
        try (JsonGenerator generator = mapper.createGenerator(json)) {
            write(payload, generator, MAX_LIST_DEPTH);
        }
        CanonicalText text = buffers.canonicalText();
        json.writeTo(text);
        return text;
    }

    /**
     * Writes the elements of a list one by one: in a list whose declared type it does not know, Jackson leaves out what
     * tells one subtype from another, so that "open" and "close" would be the same payload.
     */
    private void write(@Nullable Object payload, JsonGenerator generator, int listDepth) {
        if (payload instanceof Optional<?> optional) {
            write(optional.orElse(null), generator, listDepth);
        } else if (payload instanceof Object[] elements && listDepth > 0) {
            writeList(Arrays.asList(elements), generator, listDepth);
        } else if (payload instanceof Collection<?> elements
                && listDepth > 0
                && visibleProperties.isList(payload.getClass())) {
            if (payload instanceof Set<?>) {
                generator.writeStartObject();
                generator.writeName(CanonicalWriter.SET);
                writeList(elements, generator, listDepth);
                generator.writeEndObject();
            } else {
                writeList(elements, generator, listDepth);
            }
        } else {
            requireData(payload);
            mapper.writeValue(generator, payload);
        }
    }

    private void writeList(Collection<?> elements, JsonGenerator generator, int listDepth) {
        generator.writeStartArray();
        for (Object element : elements) {
            write(element, generator, listDepth - 1);
        }
        generator.writeEndArray();
    }

    private void requireData(@Nullable Object payload) {
        if (payload == null || payload instanceof Map<?, ?> || payload instanceof JsonNode) {
            return;
        }
        // What has no property can still show its subtype, or members that are no properties.
        if (visibleProperties.noneOf(payload.getClass())
                && CanonicalJson.of(applicationMapper.writeValueAsString(payload))
                        .equals("{}")) {
            throw new PayloadNotFingerprintableException(
                    "A payload of type " + payload.getClass().getName()
                            + " shows nothing to JSON, so all its values would have the same fingerprint: give its class"
                            + " readable properties, or name what counts with fingerprint = \"...\"",
                    null);
        }
    }

    private static byte[] sha256(CanonicalText canonical) {
        MessageDigest digest = Sha256.ofThread();
        digest.update((byte) VERSION);
        canonical.update(digest);
        return digest.digest();
    }
}
