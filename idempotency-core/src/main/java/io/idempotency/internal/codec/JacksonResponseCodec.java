package io.idempotency.internal.codec;

import java.lang.reflect.Type;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ConcurrentReferenceHashMap;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.module.SimpleModule;

import io.idempotency.codec.ResponseCodec;

/**
 * Writes and reads every type by means of Jackson, as the mapper is configured; but dates and times keep the offset and
 * the zone that they have, and sets their order, because a replay returns what the first call did.
 */
public final class JacksonResponseCodec implements ResponseCodec {

    private final ObjectMapper mapper;

    private final ObjectWriter writer;

    private final ObjectReader reader;

    private final StorableTypes storableTypes;

    /** Lets go of types when memory is short: who asks for types that are made anew each time does not fill it. */
    private final Map<Type, ObjectWriter> writers = new ConcurrentReferenceHashMap<>();

    private final Map<Type, ObjectReader> readers = new ConcurrentReferenceHashMap<>();

    /**
     * Creates the codec.
     *
     * @param mapper writes and reads responses
     */
    public JacksonResponseCodec(ObjectMapper mapper) {
        this.mapper = mapper.rebuild()
                .addModule(new SimpleModule("idempotency-ordered-sets")
                        .addAbstractTypeMapping(Set.class, LinkedHashSet.class))
                .build();
        this.writer = this.mapper
                .writer()
                .with(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                .without(DateTimeFeature.WRITE_DATES_WITH_CONTEXT_TIME_ZONE);
        this.reader = this.mapper.reader().without(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE);
        this.storableTypes = new StorableTypes(this.mapper);
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

    @Override
    public @Nullable Object decode(String body, Type type) {
        return readers.computeIfAbsent(type, unknown -> reader.forType(mapper.constructType(unknown)))
                .readValue(body);
    }
}
