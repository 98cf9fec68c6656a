package io.idempotency.boot;

import org.springframework.beans.factory.ObjectProvider;
import tools.jackson.databind.json.JsonMapper;

/**
 * Holds the mapper that writes payloads, responses and messages. A type of its own, because a further bean of the type
 * JsonMapper would change what the application gets.
 *
 * @param mapper the application's own, or else one with Jackson's defaults and all modules
 */
public record IdempotencyJsonMapper(JsonMapper mapper) {

    static IdempotencyJsonMapper find(ObjectProvider<JsonMapper> mapper) {
        return new IdempotencyJsonMapper(mapper.getIfAvailable(
                () -> JsonMapper.builder().findAndAddModules().build()));
    }
}
