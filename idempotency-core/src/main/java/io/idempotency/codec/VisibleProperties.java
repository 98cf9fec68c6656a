package io.idempotency.codec;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;

/** Knows which classes a mapper writes as an object without any property. */
final class VisibleProperties {

    private final ObjectMapper mapper;

    private final Map<Class<?>, Boolean> classesWithoutProperties = new ConcurrentHashMap<>();

    VisibleProperties(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    boolean noneOf(Class<?> type) {
        return classesWithoutProperties.computeIfAbsent(type, this::isObjectWithoutProperties);
    }

    private boolean isObjectWithoutProperties(Class<?> type) {
        Inspection inspection = new Inspection();
        mapper.acceptJsonFormatVisitor(type, inspection);
        return inspection.isObject && !inspection.hasProperty;
    }

    private static final class Inspection extends JsonFormatVisitorWrapper.Base {

        private boolean isObject;

        private boolean hasProperty;

        @Override
        public JsonObjectFormatVisitor expectObjectFormat(JavaType type) {
            isObject = true;
            return new JsonObjectFormatVisitor.Base(getContext()) {
                @Override
                public void property(BeanProperty property) {
                    hasProperty = true;
                }

                @Override
                public void optionalProperty(BeanProperty property) {
                    hasProperty = true;
                }
            };
        }
    }
}
