package io.idempotency.internal.response;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;

/** The shapes in which a mapper writes classes: an object without properties, or another one. */
final class VisibleProperties {

    private final ObjectMapper mapper;

    private final Map<Class<?>, Shape> shapes = new ConcurrentHashMap<>();

    VisibleProperties(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    boolean noneOf(Class<?> type) {
        return shapeOf(type) == Shape.OBJECT_WITHOUT_PROPERTIES;
    }

    private Shape shapeOf(Class<?> type) {
        Shape cached = shapes.get(type);
        // A cached shape must not take the lock of computeIfAbsent, which all calls would share.
        return cached == null ? shapes.computeIfAbsent(type, this::inspect) : cached;
    }

    private Shape inspect(Class<?> type) {
        Inspection inspection = new Inspection();
        mapper.acceptJsonFormatVisitor(type, inspection);
        return inspection.shape;
    }

    private enum Shape {
        OBJECT_WITHOUT_PROPERTIES,
        OTHER
    }

    private static final class Inspection extends JsonFormatVisitorWrapper.Base {

        private Shape shape = Shape.OTHER;

        @Override
        public JsonObjectFormatVisitor expectObjectFormat(JavaType type) {
            shape = Shape.OBJECT_WITHOUT_PROPERTIES;
            return new JsonObjectFormatVisitor.Base(getContext()) {
                @Override
                public void property(BeanProperty property) {
                    shape = Shape.OTHER;
                }

                @Override
                public void optionalProperty(BeanProperty property) {
                    shape = Shape.OTHER;
                }
            };
        }
    }
}
