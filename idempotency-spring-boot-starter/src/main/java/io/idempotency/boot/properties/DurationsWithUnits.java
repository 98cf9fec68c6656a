package io.idempotency.boot.properties;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.operation.DurationUnits;

/** Refuses durations of the library that are numbers without a unit, which Spring Boot reads as milliseconds. */
final class DurationsWithUnits implements ConfigurationPropertiesBindHandlerAdvisor {

    static final ConfigurationPropertyName LIBRARY = ConfigurationPropertyName.of("idempotency");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                ConfigurationProperty property = context.getConfigurationProperty();
                if (target.getType().resolve() == Duration.class
                        && property != null
                        && LIBRARY.isAncestorOf(property.getName())) {
                    requireUnit(property, context);
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }

    private static void requireUnit(ConfigurationProperty property, BindContext context) {
        if (property.getValue() instanceof CharSequence || property.getValue() instanceof Number) {
            String text = context.getBinder()
                    .bind(property.getName(), Bindable.of(String.class))
                    .orElse("");
            if (DurationUnits.isMissing(text)) {
                throw new IdempotencyStartupException(
                        property.getName() + " = " + text + " has no unit, and would be milliseconds"
                                + (property.getOrigin() == null ? "." : ": " + property.getOrigin() + "."),
                        DurationUnits.action(text));
            }
        }
    }
}
