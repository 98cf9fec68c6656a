package io.idempotency.sample.projections;

import java.lang.reflect.Type;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.converter.ByteArrayJacksonJsonMessageConverter;
import org.springframework.messaging.converter.MessageConversionException;
import tools.jackson.databind.json.JsonMapper;

/** Cannot read the text {@code null} either: Jackson can, and what it makes of it fails at each delivery, for ever. */
class PayloadConverter extends ByteArrayJacksonJsonMessageConverter {

    PayloadConverter(JsonMapper mapper) {
        super(mapper);
    }

    @Override
    protected Object extractAndConvertValue(ConsumerRecord<?, ?> message, @Nullable Type type) {
        @Nullable Object payload = super.extractAndConvertValue(message, type);
        if (payload == null) {
            throw new MessageConversionException("The text null in " + message.topic() + " is no payload");
        }
        return payload;
    }
}
