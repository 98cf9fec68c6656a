package io.idempotency.internal.codec;

import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.jdk.JavaUtilCalendarSerializer;
import tools.jackson.databind.type.CollectionType;

/**
 * The Jackson module that marks sets for {@link CanonicalJson}, because JSON has only lists and the order of a set
 * differs between JVMs, and that writes calendars with their zone.
 */
final class PayloadModule extends SimpleModule {

    private static final long serialVersionUID = 1L;

    PayloadModule() {
        setSerializerModifier(new Modifier());
    }

    private static final class Modifier extends ValueSerializerModifier {

        private static final long serialVersionUID = 1L;

        @Override
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
            return serializer instanceof JavaUtilCalendarSerializer ? new ZonedCalendar(serializer) : serializer;
        }

        @Override
        public ValueSerializer<?> modifyCollectionSerializer(
                SerializationConfig config,
                CollectionType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            if (!Set.class.isAssignableFrom(type.getRawClass())) {
                return serializer;
            }
            return EnumSet.class.isAssignableFrom(type.getRawClass())
                            && !type.getContentType().isEnumImplType()
                    ? new AnyEnumSet(null)
                    : new MarkedSet(serializer);
        }
    }

    private static final class MarkedSet extends ValueSerializer<Object> {

        private final ValueSerializer<Object> elements;

        @SuppressWarnings("unchecked") // Jackson chose the serializer for the type of its values.
        MarkedSet(ValueSerializer<?> elements) {
            this.elements = (ValueSerializer<Object>) elements;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return new MarkedSet(elements.createContextual(context, property));
        }

        @Override
        public void resolve(SerializationContext context) {
            elements.resolve(context);
        }

        @Override
        public boolean isEmpty(SerializationContext context, Object value) {
            return elements.isEmpty(context, value);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            generator.writeStartObject();
            generator.writeName(CanonicalJson.SET);
            elements.serialize(value, generator, context);
            generator.writeEndObject();
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer typeSerializer) {
            generator.writeStartObject();
            generator.writeName(CanonicalJson.SET);
            elements.serializeWithType(value, generator, context, typeSerializer);
            generator.writeEndObject();
        }
    }

    /** A serializer that writes an EnumSet of an unknown enum like any other set, unlike Jackson's. */
    private static final class AnyEnumSet extends ValueSerializer<Object> {

        private final @Nullable ValueSerializer<Object> set;

        AnyEnumSet(@Nullable ValueSerializer<Object> set) {
            this.set = set;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            JavaType anySet = context.getTypeFactory().constructCollectionType(LinkedHashSet.class, Object.class);
            return new AnyEnumSet(context.findPrimaryPropertySerializer(anySet, property));
        }

        @Override
        public boolean isEmpty(SerializationContext context, Object value) {
            return ((Set<?>) value).isEmpty();
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            Objects.requireNonNull(set).serialize(new LinkedHashSet<>((Set<?>) value), generator, context);
        }
    }

    /** A serializer that writes calendars without a format of their own as ZonedDateTime. */
    private static final class ZonedCalendar extends ValueSerializer<Calendar> {

        private final ValueSerializer<?> original;

        ZonedCalendar(ValueSerializer<?> original) {
            this.original = original;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            ValueSerializer<?> formatted = original.createContextual(context, property);
            return formatted == original ? this : formatted;
        }

        @Override
        public void serialize(Calendar value, JsonGenerator generator, SerializationContext context) {
            ZonedDateTime zoned = value.toInstant().atZone(value.getTimeZone().toZoneId());
            context.findValueSerializer(ZonedDateTime.class).serialize(zoned, generator, context);
        }
    }
}
