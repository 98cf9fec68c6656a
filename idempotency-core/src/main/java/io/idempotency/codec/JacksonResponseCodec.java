package io.idempotency.codec;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;

/** Writes and reads every type by means of Jackson, as the mapper is configured. */
public final class JacksonResponseCodec implements ResponseCodec {

    private final ObjectMapper mapper;

    /**
     * Creates the codec.
     *
     * @param mapper writes and reads responses
     */
    public JacksonResponseCodec(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    @Override
    public boolean supports(Type type) {
        return true;
    }

    @Override
    public String encode(@Nullable Object response, Type type) {
        return mapper.writerFor(mapper.constructType(type)).writeValueAsString(response);
    }

    @Override
    public @Nullable Object decode(String body, Type type) {
        return mapper.readerFor(mapper.constructType(type)).readValue(body);
    }
}
