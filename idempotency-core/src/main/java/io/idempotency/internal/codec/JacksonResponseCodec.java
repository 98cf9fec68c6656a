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
 * The codec that writes and reads every type through Jackson, as the mapper is configured. Dates and times keep their
 * offset and zone, and sets keep their order, so that a replay equals the first response.
 */
public final class JacksonResponseCodec implements ResponseCodec {

    private final ObjectMapper mapper;

    private final ObjectWriter writer;

    private final ObjectReader reader;

    private final StorableTypes storableTypes;

    /** Soft references, so that types that are created anew for each call do not fill the memory. */
    private final Map<Type, ObjectWriter> writers = new ConcurrentReferenceHashMap<>();

    private final Map<Type, ObjectReader> readers = new ConcurrentReferenceHashMap<>();

    /**
     * Creates the codec.
     *
     * @param mapper the mapper for responses
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
