package io.idempotency.internal.response;

import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ConcurrentReferenceHashMap;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.module.SimpleModule;

import io.idempotency.codec.ResponseCodec;
import io.idempotency.internal.response.ReplayComparison.Difference;

/**
 * The codec that writes and reads every type through Jackson, as the mapper is configured. Dates and times keep their
 * offset and zone, and sets keep their order, so that a replay equals the first response. It writes again what it has read, to
 * find members that the type has under another name.
 */
public final class JacksonResponseCodec implements ResponseCodec {

    private final ObjectMapper mapper;

    private final ObjectWriter writer;

    private final ObjectReader reader;

    private final ObjectWriter writerOfAllMembers;

    private final StorableTypes storableTypes;

    /** Soft references, so that types that are created anew for each call do not fill the memory. */
    private final Map<Type, ObjectWriter> writers = new ConcurrentReferenceHashMap<>();

    private final Map<Type, ObjectReader> readers = new ConcurrentReferenceHashMap<>();

    public JacksonResponseCodec(ObjectMapper mapper) {
        this.mapper = mapper.rebuild()
                .addModule(new SimpleModule("idempotency-ordered-sets")
                        .addAbstractTypeMapping(Set.class, LinkedHashSet.class))
                .build();
        this.writer = writerOf(this.mapper);
        this.reader = this.mapper.reader().without(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE);
        this.writerOfAllMembers =
                writerOf(this.mapper.rebuild().addModule(new AllMembers()).build());
        this.storableTypes = new StorableTypes(this.mapper);
    }

    private static ObjectWriter writerOf(ObjectMapper mapper) {
        return mapper.writer()
                .with(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .without(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE);
    }

    @Override
    public boolean supports(Type type) {
        return true;
    }

    @Override
    public void requireStorable(Type type) {
        storableTypes.require(type);
    }

    @Override
    public String encode(@Nullable Object response, Type type) {
        return writers.computeIfAbsent(type, unknown -> writer.forType(mapper.constructType(unknown)))
                .writeValueAsString(response);
    }

    /**
     * Reads a value that this type or an earlier version of it has written.
     *
     * @throws IllegalStateException if the JSON has a member that the type does not know, and lacks one that it has
     */
    @Override
    public @Nullable Object decode(String body, Type type) {
        Object value = decodeForeign(body, type);
        String again;
        try {
            again = encode(value, type);
            if (!again.equals(body)) {
                again = writerOfAllMembers.forType(mapper.constructType(type)).writeValueAsString(value);
            }
        } catch (RuntimeException lossy) {
            // A response that may lose something need not be writable again.
            return value;
        }
        if (!again.equals(body)) {
            require(ReadBackJson.renamedIn(body, again));
        }
        return value;
    }

    /**
     * Reads a value that is needed as it was.
     *
     * @throws IllegalStateException if the value is not written as it is stored; it may have further members
     */
    @Nullable Object decodeUnchanged(String body, Type type) {
        Object value = decodeForeign(body, type);
        String again = encode(value, type);
        if (!again.equals(body)) {
            UnknownMembers unknown = new UnknownMembers();
            readerOf(type).withHandler(unknown).readValue(body);
            require(ReadBackJson.lostIn(body, again, unknown.names));
        }
        return value;
    }

    /** Reads a value of JSON that another program may have written, so that neither needs to have the members of the other. */
    public @Nullable Object decodeForeign(String body, Type type) {
        return readerOf(type).readValue(body);
    }

    private ObjectReader readerOf(Type type) {
        return readers.computeIfAbsent(type, unknown -> reader.forType(mapper.constructType(unknown)));
    }

    private static void require(@Nullable Difference difference) {
        if (difference != null) {
            throw new IllegalStateException("The stored JSON has " + difference.path() + ", " + difference.reason());
        }
    }

    /** Writes members that the class leaves out if they are null or empty. */
    private static final class AllMembers extends SimpleModule {

        private static final long serialVersionUID = 1L;

        @Override
        public void setupModule(SetupContext context) {
            context.insertAnnotationIntrospector(new NopAnnotationIntrospector() {

                private static final long serialVersionUID = 1L;

                @Override
                public JsonInclude.Value findPropertyInclusion(MapperConfig<?> config, Annotated annotated) {
                    return JsonInclude.Value.construct(JsonInclude.Include.ALWAYS, JsonInclude.Include.ALWAYS);
                }
            });
        }
    }

    /** Notes the members that are not read. Those that are written nevertheless are computed from others. */
    private static final class UnknownMembers extends DeserializationProblemHandler {

        private final Set<String> names = new HashSet<>();

        @Override
        public boolean handleUnknownProperty(
                DeserializationContext context,
                JsonParser parser,
                ValueDeserializer<?> deserializer,
                Object beanOrClass,
                String name) {
            names.add(name);
            parser.skipChildren();
            return true;
        }
    }
}
