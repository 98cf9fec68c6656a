package io.idempotency.codec;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.type.CollectionType;

/**
 * Marks sets for {@link CanonicalWriter}: JSON knows only lists, and the order of a set differs from one JVM to the next.
 */
final class SetMarkingModule extends SimpleModule {

    private static final long serialVersionUID = 1L;

    SetMarkingModule() {
        setSerializerModifier(new Modifier());
    }

    private static final class Modifier extends ValueSerializerModifier {

        private static final long serialVersionUID = 1L;

        @Override
        public ValueSerializer<?> modifyCollectionSerializer(
                SerializationConfig config,
                CollectionType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            return Set.class.isAssignableFrom(type.getRawClass()) ? new Marking(serializer) : serializer;
        }
    }

    private static final class Marking extends ValueSerializer<Object> {

        private final ValueSerializer<Object> list;

        @SuppressWarnings("unchecked") // It is only ever given what Jackson chose it for.
        Marking(ValueSerializer<?> list) {
            this.list = (ValueSerializer<Object>) list;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return new Marking(list.createContextual(context, property));
        }

        @Override
        public void resolve(SerializationContext context) {
            list.resolve(context);
        }

        @Override
        public boolean isEmpty(SerializationContext context, Object value) {
            return list.isEmpty(context, value);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            generator.writeStartObject();
            generator.writeName(CanonicalWriter.SET);
            list.serialize(value, generator, context);
            generator.writeEndObject();
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer typeSerializer) {
            generator.writeStartObject();
            generator.writeName(CanonicalWriter.SET);
            list.serializeWithType(value, generator, context, typeSerializer);
            generator.writeEndObject();
        }
    }
}
