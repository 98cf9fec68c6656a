package io.idempotency.boot;

import java.util.Locale;

import org.springframework.beans.factory.ObjectProvider;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A holder of the mapper that writes payloads, responses and messages. It has a type of its own, because a second
 * JsonMapper bean would change what the application injects. A bean of the application replaces it.
 *
 * <p>Stored JSON and fingerprints must be the same in each deployment. So this mapper has the code by which the application's
 * mapper writes classes, such as modules and mixins, and none of its settings, such as {@code spring.jackson.*}.
 *
 * @param mapper the mapper
 */
public record IdempotencyJsonMapper(JsonMapper mapper) {

    static IdempotencyJsonMapper find(ObjectProvider<JsonMapper> mapper) {
        return new IdempotencyJsonMapper(withoutSettings(mapper.getIfAvailable(
                () -> JsonMapper.builder().findAndAddModules().build())));
    }

    static JsonMapper withoutSettings(JsonMapper application) {
        JsonMapper.Builder theirs = application.rebuild();
        return JsonMapper.builder()
                .addModules(application.registeredModules())
                .mixInHandler(theirs.mixInHandler())
                .annotationIntrospector(theirs.annotationIntrospector())
                .subtypeResolver(theirs.subtypeResolver())
                .polymorphicTypeValidator(theirs.baseSettings().getPolymorphicTypeValidator())
                .handlerInstantiator(theirs.baseSettings().getHandlerInstantiator())
                .filterProvider(theirs.filterProvider())
                .injectableValues(theirs.injectableValues())
                // By default both depend on more than the code: on the texts for users, and on the machine.
                .disable(EnumFeature.WRITE_ENUMS_USING_TO_STRING, EnumFeature.READ_ENUMS_USING_TO_STRING)
                .defaultLocale(Locale.ROOT)
                .build();
    }
}
