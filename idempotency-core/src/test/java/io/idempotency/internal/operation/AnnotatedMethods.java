package io.idempotency.internal.operation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySourcesPropertyResolver;

import io.idempotency.test.Defaults;

/** Reads operations of methods by their name, as the interceptors do. */
final class AnnotatedMethods {

    private AnnotatedMethods() {}

    static CallOperation operation(Class<?> type, String method) {
        return operation(type, method, Map.of());
    }

    static CallOperation operation(Class<?> type, String method, Map<String, Object> properties) {
        return (CallOperation) source(properties).findOperation(method(type, method), type);
    }

    static AnnotationOperationSource source(Map<String, Object> properties) {
        MutablePropertySources sources = new MutablePropertySources();
        sources.addFirst(new MapPropertySource("test", properties));
        PropertySourcesPropertyResolver resolver = new PropertySourcesPropertyResolver(sources);
        RetentionPolicy retention = Defaults.retention(Duration.ofMillis(1));
        return new AnnotationOperationSource(resolver::resolveRequiredPlaceholders, () -> retention, List.of());
    }

    static Method method(Class<?> type, String name) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getName().equals(name) && !method.isBridge())
                .findFirst()
                .orElseThrow();
    }
}
