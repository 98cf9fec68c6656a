package io.idempotency.internal.response;

import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonFormat;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ConcurrentReferenceHashMap;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotationIntrospectorPair;
import tools.jackson.databind.module.SimpleModule;

import io.idempotency.internal.fingerprint.MarkedSets;
import io.idempotency.internal.response.ReplayComparison.Difference;

/**
 * The codec that writes and reads every type through Jackson, as the mapper is configured. Dates and times keep their
 * offset and zone, and sets keep their order, so that a replay equals the first response. It writes again what it has read, and
 * refuses what a lenient reader has changed.
 */
public final class JacksonResponseCodec implements UnchangedCodec {

    private final ObjectMapper mapper;

    private final ObjectWriter writer;

    private final ObjectReader reader;

    private final ObjectWriter comparingWriter;

    private final StorableTypes storableTypes;

    /** Soft references, so that types that are created anew for each call do not fill the memory. */
    private final Map<Type, ObjectWriter> writers = new ConcurrentReferenceHashMap<>();

    private final Map<Type, ObjectReader> readers = new ConcurrentReferenceHashMap<>();

    /** Creates the codec of responses, results of steps and arguments. */
    public JacksonResponseCodec(ObjectMapper mapper) {
        this(
                mapper.rebuild()
                        .annotationIntrospector(
                                new MembersByName(mapper.serializationConfig().getAnnotationIntrospector()))
                        .build(),
                JsonAutoDetect.Visibility.DEFAULT);
    }

    private JacksonResponseCodec(ObjectMapper mapper, JsonAutoDetect.Visibility comparedFields) {
        this.mapper = mapper.rebuild()
                .addModule(new SimpleModule("idempotency-ordered-sets")
                        .addAbstractTypeMapping(Set.class, LinkedHashSet.class))
                .addModule(new ExactXmlCalendars())
                .build();
        this.writer = writerOf(this.mapper);
        this.reader = this.mapper.reader().without(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE);
        this.comparingWriter = writerOf(this.mapper
                .rebuild()
                .changeDefaultVisibility(checker -> checker.withFieldVisibility(comparedFields))
                .addModules(new MarkedSets(), new ComparedMembers(this.mapper))
                .build());
        this.storableTypes = new StorableTypes(this.mapper);
    }

    /** Creates the codec of messages, which others read too: their JSON is what the annotations of their classes say. */
    public static JacksonResponseCodec ofMessages(ObjectMapper mapper) {
        return new JacksonResponseCodec(mapper, JsonAutoDetect.Visibility.ANY);
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
     * Reads a value that this type or an earlier version of it has written. It may have had further members.
     *
     * @throws IllegalStateException if a value is read as another one, or a member seems to be renamed
     */
    @Override
    public @Nullable Object decode(String body, Type type) {
        return decode(body, type, ReadBackJson.RESPONSE);
    }

    @Override
    public @Nullable Object decodeUnchanged(String body, Type type) {
        return decode(body, type, ReadBackJson.UNCHANGED);
    }

    /**
     * Reads a value of JSON that another program may have written, so that neither needs to have the members of the other.
     *
     * @throws IllegalStateException if a value is read as another one
     */
    public @Nullable Object decodeForeign(String body, Type type) {
        return decode(body, type, ReadBackJson.FOREIGN);
    }

    private @Nullable Object decode(String body, Type type, ReadBackJson comparison) {
        Object value = readerOf(type).readValue(body);
        if (!isWritten(body, value, type)) {
            Difference difference = comparison.differenceOf(
                    body, comparingWriter.forType(mapper.constructType(type)).writeValueAsString(value));
            if (difference != null) {
                throw new IllegalStateException(
                        "The stored JSON has " + difference.path() + ", " + difference.reason());
            }
        }
        return value;
    }

    private boolean isWritten(String body, @Nullable Object value, Type type) {
        try {
            return encode(value, type).equals(body);
        } catch (RuntimeException notComputable) {
            // A getter may fail that is computed from what an earlier version did not have.
            return false;
        }
    }

    private ObjectReader readerOf(Type type) {
        return readers.computeIfAbsent(type, unknown -> reader.forType(mapper.constructType(unknown)));
    }

    /** Writes members with their names, because those of a class that is written as an array may change their places. */
    private static final class MembersByName extends AnnotationIntrospectorPair {

        private static final long serialVersionUID = 1L;

        MembersByName(AnnotationIntrospector application) {
            super(application, AnnotationIntrospector.nopInstance());
        }

        @Override
        public JsonFormat.Value findFormat(MapperConfig<?> config, Annotated annotated) {
            JsonFormat.Value format = super.findFormat(config, annotated);
            return format != null
                            && format.getShape() == JsonFormat.Shape.ARRAY
                            && annotated.getRawType().getClassLoader() != null
                    ? format.withShape(JsonFormat.Shape.ANY)
                    : format;
        }
    }
}
