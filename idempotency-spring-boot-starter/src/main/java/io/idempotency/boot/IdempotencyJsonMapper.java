package io.idempotency.boot;

import org.springframework.beans.factory.ObjectProvider;
import tools.jackson.databind.json.JsonMapper;

/**
 * A holder of the mapper that writes payloads, responses and messages. It has a type of its own, because a second
 * JsonMapper bean would change what the application injects.
 *
 * @param mapper the application's mapper, or else one with Jackson's defaults and all modules
 */
public record IdempotencyJsonMapper(JsonMapper mapper) {

    static IdempotencyJsonMapper find(ObjectProvider<JsonMapper> mapper) {
        return new IdempotencyJsonMapper(mapper.getIfAvailable(
                () -> JsonMapper.builder().findAndAddModules().build()));
    }
}
