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
 * Writes what JSON leaves out: marks sets for {@link CanonicalJson}, because JSON knows only lists and the order of a set
 * differs from one JVM to the next, and gives calendars their zone.
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
                    ? new OfAnyEnum(null)
                    : new Marking(serializer);
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
            generator.writeName(CanonicalJson.SET);
            list.serialize(value, generator, context);
            generator.writeEndObject();
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer typeSerializer) {
            generator.writeStartObject();
            generator.writeName(CanonicalJson.SET);
            list.serializeWithType(value, generator, context, typeSerializer);
            generator.writeEndObject();
        }
    }

    /** Writes the elements of an EnumSet whose enum is not known as those of any other set, which Jackson does not. */
    private static final class OfAnyEnum extends ValueSerializer<Object> {

        private final @Nullable ValueSerializer<Object> set;

        OfAnyEnum(@Nullable ValueSerializer<Object> set) {
            this.set = set;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            JavaType anySet = context.getTypeFactory().constructCollectionType(LinkedHashSet.class, Object.class);
            return new OfAnyEnum(context.findPrimaryPropertySerializer(anySet, property));
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

    /** The features of the default format. */
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
