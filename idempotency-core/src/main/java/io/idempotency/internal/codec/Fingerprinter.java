package io.idempotency.internal.codec;

import java.io.StringWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;

import io.idempotency.PayloadNotFingerprintableException;

/**
 * The algorithm of fingerprints: SHA-256 over the version of the algorithm and the canonical JSON of a payload, written
 * by the application's own mapper. Members that this mapper does not write do not count.
 */
public final class Fingerprinter {

    /** The version of the algorithm: SHA-256 of a byte with this number and the canonical JSON in UTF-8. */
    public static final int VERSION = 1;

    /** Deeper lists are left to the mapper, which refuses a list that contains itself. */
    private static final int MAX_LIST_DEPTH = 100;

    private final ObjectMapper applicationMapper;

    private final ObjectMapper mapper;

    private final JavaType anyType;

    private final Map<Method, List<JavaType>> parameters = new ConcurrentHashMap<>();

    private final Map<Type, JavaType> types = new ConcurrentHashMap<>();

    private final Map<JavaType, ObjectWriter> writers = new ConcurrentHashMap<>();

    private final VisibleProperties visibleProperties;

    /**
     * Creates the fingerprinter.
     *
     * @param mapper the application's mapper
     */
    public Fingerprinter(ObjectMapper mapper) {
        this.applicationMapper = mapper;
        this.mapper = mapper.rebuild()
                .addModule(new PayloadModule())
                .setDefaultTyping(new TypeMarking(mapper.serializationConfig().getDefaultTyper(null)))
                .serializationContexts(new TypeMarkingContexts())
                .enable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE)
                .disable(SerializationFeature.FAIL_ON_UNWRAPPED_TYPE_IDENTIFIERS)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
                .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
                .build();
        this.anyType = this.mapper.constructType(Object.class);
        this.visibleProperties = new VisibleProperties(mapper);
    }

    /**
     * Computes the fingerprint of a payload without a declared type.
     *
     * @param payload any value that can be written as JSON, or {@code null}
     * @return the fingerprint
     * @throws PayloadNotFingerprintableException if it cannot be written, or has no JSON properties
     */
    public Fingerprint of(@Nullable Object payload) {
        return hash(generator -> write(payload, anyType, generator, MAX_LIST_DEPTH));
    }

    /**
     * Computes the fingerprint of a payload.
     *
     * @param payload any value that can be written as JSON, or {@code null}
     * @param declared declared type, whose name therefore does not count
     * @return the fingerprint
     * @throws PayloadNotFingerprintableException if it cannot be written, or has no JSON properties
     */
    public Fingerprint of(@Nullable Object payload, Type declared) {
        JavaType type = cached(types, declared, mapper::constructType);
        return hash(generator -> write(payload, type, generator, MAX_LIST_DEPTH));
    }

    /**
     * Computes the fingerprint of a method's arguments. Trailing nulls and empty Optionals do not count, so that a new
     * optional argument changes nothing for calls that do not use it.
     *
     * @param arguments the arguments in their order
     * @param method the method, with the declared types of its parameters
     * @return the fingerprint
     * @throws PayloadNotFingerprintableException if one of them cannot be written, or has no JSON properties
     */
    public Fingerprint ofArguments(@Nullable Object[] arguments, Method method) {
        List<JavaType> declared = cached(parameters, method, this::parametersOf);
        int length = lengthWithoutAbsent(arguments);
        return hash(generator -> {
            generator.writeStartArray();
            for (int i = 0; i < length; i++) {
                write(arguments[i], declared.get(i), generator, MAX_LIST_DEPTH - 1);
            }
            generator.writeEndArray();
        });
    }

    private List<JavaType> parametersOf(Method method) {
        return Stream.of(method.getGenericParameterTypes())
                .map(mapper::constructType)
                .toList();
    }

    private static int lengthWithoutAbsent(@Nullable Object[] arguments) {
        int length = arguments.length;
        while (length > 0 && isAbsent(arguments[length - 1])) {
            length--;
        }
        return length;
    }

    /**
     * Combines the fingerprint of a payload with further values that must be equal.
     *
     * @param payload fingerprint of the payload
     * @param contributions further values
     * @return the combined fingerprint; the payload's own if there are no further values
     */
    public Fingerprint within(Fingerprint payload, List<String> contributions) {
        return contributions.isEmpty()
                ? payload
                : of(new Object[] {HexFormat.of().formatHex(payload.hash()), contributions});
    }

    private static boolean isAbsent(@Nullable Object argument) {
        return argument == null || argument.equals(Optional.empty());
    }

    private Fingerprint hash(Consumer<JsonGenerator> payload) {
        try {
            return new Fingerprint(VERSION, sha256(CanonicalJson.of(json(payload))));
        } catch (JacksonException notWritable) {
            PayloadBounds.ExceededException exceeded =
                    JsonFailures.findIn(notWritable, PayloadBounds.ExceededException.class);
            if (exceeded != null) {
                throw new PayloadNotFingerprintableException(
                        "The payload cannot be compared. " + exceeded.getOriginalMessage()
                                + ": refuse such payloads before, or name what counts with fingerprint = \"...\"",
                        null);
            }
            throw new PayloadNotFingerprintableException(
                    "The payload cannot be written as JSON, or a part of it has no JSON properties: name what"
                            + " counts with fingerprint = \"...\"",
                    JsonFailures.withoutValues(notWritable));
        }
    }

    private String json(Consumer<JsonGenerator> payload) {
        StringWriter json = new StringWriter();
        try (JsonGenerator generator = PayloadBounds.bound(mapper.createGenerator(json))) {
            payload.accept(generator);
        }
        return json.toString();
    }

    /** Writes a value; the elements of a list one by one, so that each is checked to be data. */
    private void write(@Nullable Object payload, JavaType declared, JsonGenerator generator, int listDepth) {
        if (payload instanceof Optional<?> optional) {
            write(optional.orElse(null), contentOf(declared), generator, listDepth);
        } else if (payload instanceof Object[] elements && listDepth > 0) {
            writeList(Arrays.asList(elements), contentOf(declared), generator, listDepth);
        } else if (payload instanceof Collection<?> elements
                && listDepth > 0
                && visibleProperties.isList(payload.getClass())) {
            if (payload instanceof Set<?>) {
                generator.writeStartObject();
                generator.writeName(CanonicalJson.SET);
                writeList(elements, contentOf(declared), generator, listDepth);
                generator.writeEndObject();
            } else {
                writeList(elements, contentOf(declared), generator, listDepth);
            }
        } else {
            requireData(payload);
            writerOf(payload, declared).writeValue(generator, payload);
        }
    }

    private void writeList(Collection<?> elements, JavaType declared, JsonGenerator generator, int listDepth) {
        generator.writeStartArray();
        for (Object element : elements) {
            write(element, declared, generator, listDepth - 1);
        }
        generator.writeEndArray();
    }

    /** Returns the declared type of the content of a container; Object if it is unknown. */
    private JavaType contentOf(JavaType declared) {
        JavaType content = declared.isReferenceType() ? declared.getReferencedType() : declared.getContentType();
        return content == null ? anyType : content;
    }

    private ObjectWriter writerOf(@Nullable Object payload, JavaType declared) {
        boolean isDeclared = declared.isPrimitive() || declared.getRawClass().isInstance(payload);
        return cached(writers, isDeclared ? declared : anyType, mapper::writerFor);
    }

    /** Returns a cached value without the lock of computeIfAbsent, which all calls would share. */
    private static <K, V> V cached(Map<K, V> all, K key, Function<K, V> create) {
        V cached = all.get(key);
        return cached == null ? all.computeIfAbsent(key, create) : cached;
    }

    private void requireData(@Nullable Object payload) {
        if (payload == null || payload instanceof Map<?, ?> || payload instanceof JsonNode) {
            return;
        }
        // A class without properties may still be written with its subtype, or with members that are no properties.
        if (visibleProperties.noneOf(payload.getClass())
                && CanonicalJson.of(applicationMapper.writeValueAsString(payload))
                        .equals("{}")) {
            throw new PayloadNotFingerprintableException(
                    "A payload of type " + payload.getClass().getName()
                            + " has no JSON properties, so all its values would have the same fingerprint: give its class"
                            + " readable properties, or name what counts with fingerprint = \"...\"",
                    null);
        }
    }

    private static byte[] sha256(String canonical) {
        MessageDigest digest = Digests.sha256();
        digest.update((byte) VERSION);
        return digest.digest(canonical.getBytes(StandardCharsets.UTF_8));
    }
}
