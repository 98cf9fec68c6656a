package io.idempotency.internal.fingerprint;

import java.io.StringWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;

import io.idempotency.PayloadNotFingerprintableException;

/**
 * The algorithm of fingerprints: SHA-256 over the version of the algorithm and the canonical JSON of a payload, written
 * by the library's mapper. A payload is refused if something of it would not count.
 */
public final class Fingerprinter {

    /** The version of the algorithm: SHA-256 of a byte with this number and the canonical JSON in UTF-8. */
    public static final int VERSION = 1;

    private final ObjectMapper mapper;

    private final JavaType anyType;

    private final Map<Method, List<JavaType>> parameters = new ConcurrentHashMap<>();

    private final Map<Type, JavaType> types = new ConcurrentHashMap<>();

    private final Map<JavaType, ObjectWriter> writers = new ConcurrentHashMap<>();

    public Fingerprinter(ObjectMapper mapper) {
        this.mapper = mapper.rebuild()
                .addModule(new MarkedSets())
                .addModule(new PayloadModule())
                .addModule(new StateModule(true))
                .annotationIntrospector(
                        new PayloadAnnotations(mapper.serializationConfig().getAnnotationIntrospector()))
                .changeDefaultPropertyInclusion(any -> PayloadAnnotations.ALWAYS)
                .disable(MapperFeature.USE_STATIC_TYPING)
                .setDefaultTyping(new TypeMarking(mapper.serializationConfig().getDefaultTyper(null)))
                .serializationContexts(new TypeMarkingContexts())
                .disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE)
                .disable(SerializationFeature.FAIL_ON_UNWRAPPED_TYPE_IDENTIFIERS)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE)
                .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
                .build();
        this.anyType = this.mapper.constructType(Object.class);
    }

    /**
     * Computes the fingerprint of a payload without a declared type.
     *
     * @param payload any value that can be written as JSON, or {@code null}
     * @throws PayloadNotFingerprintableException if it cannot be written, or JSON does not show all of it
     */
    public Fingerprint of(@Nullable Object payload) {
        return hash(generator -> write(payload, anyType, generator));
    }

    /**
     * Computes the fingerprint of a payload.
     *
     * @param payload any value that can be written as JSON, or {@code null}
     * @param declared declared type, whose name therefore does not count
     * @throws PayloadNotFingerprintableException if it cannot be written, or JSON does not show all of it
     */
    public Fingerprint of(@Nullable Object payload, Type declared) {
        JavaType type = cached(types, declared, mapper::constructType);
        return hash(generator -> write(payload, type, generator));
    }

    /**
     * Computes the fingerprint of a method's arguments. Trailing nulls and empty Optionals do not count, so that a new
     * optional argument changes nothing for calls that do not use it.
     *
     * @throws PayloadNotFingerprintableException if one of them cannot be written, or JSON does not show all of it
     */
    public Fingerprint ofArguments(@Nullable Object[] arguments, Method method) {
        List<JavaType> declared = cached(parameters, method, this::parametersOf);
        int length = lengthWithoutAbsent(arguments);
        return hash(generator -> {
            generator.writeStartArray();
            for (int i = 0; i < length; i++) {
                write(arguments[i], declared.get(i), generator);
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
            RefusedPayloadException refused = JsonFailures.findIn(notWritable, RefusedPayloadException.class);
            throw refused == null
                    ? new PayloadNotFingerprintableException(
                            "The payload cannot be written as JSON", JsonFailures.withoutValues(notWritable))
                    : new PayloadNotFingerprintableException(refused.describe(), null);
        }
    }

    private String json(Consumer<JsonGenerator> payload) {
        StringWriter json = new StringWriter();
        try (JsonGenerator generator = PayloadBounds.bound(mapper.createGenerator(json))) {
            payload.accept(generator);
        }
        return json.toString();
    }

    private void write(@Nullable Object payload, JavaType declared, JsonGenerator generator) {
        writerOf(payload, declared).writeValue(generator, new Root<>(payload));
    }

    private ObjectWriter writerOf(@Nullable Object payload, JavaType declared) {
        boolean isDeclared = declared.isPrimitive() || declared.getRawClass().isInstance(payload);
        return cached(
                writers,
                isDeclared ? declared : anyType,
                type -> mapper.writerFor(mapper.getTypeFactory().constructParametricType(Root.class, type)));
    }

    /** Returns a cached value without the lock of computeIfAbsent, which all calls would share. */
    private static <K, V> V cached(Map<K, V> all, K key, Function<K, V> create) {
        V cached = all.get(key);
        return cached == null ? all.computeIfAbsent(key, create) : cached;
    }

    private static byte[] sha256(String canonical) {
        MessageDigest digest = Digests.sha256();
        digest.update((byte) VERSION);
        return digest.digest(canonical.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * A payload as Jackson writes the value of a member: by its class. The root of a JSON text is written by its declared
     * type if that is a collection or a map, so that a set would be a list.
     */
    record Root<T>(@JsonValue @Nullable T value) {}
}
