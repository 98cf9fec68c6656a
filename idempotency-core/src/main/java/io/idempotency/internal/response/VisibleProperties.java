package io.idempotency.internal.response;

import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsonFormatVisitors.JsonObjectFormatVisitor;

/** What a mapper writes of classes. */
final class VisibleProperties {

    private final ObjectMapper mapper;

    VisibleProperties(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    /** Returns whether it writes an object without properties. */
    boolean noneOf(Class<?> type) {
        Inspection inspection = new Inspection();
        mapper.acceptJsonFormatVisitor(type, inspection);
        return inspection.isEmptyObject;
    }

    private static final class Inspection extends JsonFormatVisitorWrapper.Base {

        private boolean isEmptyObject;

        @Override
        public JsonObjectFormatVisitor expectObjectFormat(JavaType type) {
            isEmptyObject = true;
            return new JsonObjectFormatVisitor.Base(getContext()) {
                @Override
                public void property(BeanProperty property) {
                    isEmptyObject = false;
                }

                @Override
                public void optionalProperty(BeanProperty property) {
                    isEmptyObject = false;
                }
            };
        }
    }
}
