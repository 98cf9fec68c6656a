package io.idempotency.internal.codec;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonArrayFormatVisitor;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;

/** Knows which classes a mapper writes as a list, and which as an object without any property. */
final class VisibleProperties {

    private final ObjectMapper mapper;

    private final Map<Class<?>, Shape> shapes = new ConcurrentHashMap<>();

    VisibleProperties(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    boolean noneOf(Class<?> type) {
        return shapeOf(type) == Shape.OBJECT_WITHOUT_PROPERTIES;
    }

    boolean isList(Class<?> type) {
        return shapeOf(type) == Shape.LIST;
    }

    private Shape shapeOf(Class<?> type) {
        Shape known = shapes.get(type);
        // What is known must not take a lock, which it would share with all calls.
        return known == null ? shapes.computeIfAbsent(type, this::inspect) : known;
    }

    private Shape inspect(Class<?> type) {
        Inspection inspection = new Inspection();
        mapper.acceptJsonFormatVisitor(type, inspection);
        return inspection.shape;
    }

    private enum Shape {
        LIST,
        OBJECT_WITHOUT_PROPERTIES,
        OTHER
    }

    private static final class Inspection extends JsonFormatVisitorWrapper.Base {

        private Shape shape = Shape.OTHER;

        @Override
        public @Nullable JsonArrayFormatVisitor expectArrayFormat(JavaType type) {
            shape = Shape.LIST;
            return null;
        }

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
