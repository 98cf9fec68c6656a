package io.idempotency.internal.fingerprint;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.jdk.JavaUtilCalendarSerializer;

/**
 * The Jackson module that writes what Jackson leaves out of some values of the platform, such as the zone of a calendar.
 */
final class PayloadModule extends SimpleModule {

    private static final long serialVersionUID = 1L;

    PayloadModule() {
        setSerializerModifier(new Modifier());
    }

    /** Replaces values of which Jackson writes only a part. A value that it writes completely stays as it is. */
    private static final Map<Class<?>, UnaryOperator<Object>> EXACT = Map.of(
            Pattern.class,
                    value -> ((Pattern) value).flags() == 0
                            ? value
                            : List.of(value.toString(), ((Pattern) value).flags()),
            Timestamp.class,
                    value -> ((Timestamp) value).getNanos() % 1_000_000 == 0 ? value : ((Timestamp) value).toInstant(),
            Time.class,
                    value -> ((Time) value).getTime() % 1_000 == 0
                            ? value
                            : List.of(value.toString(), ((Time) value).getTime()),
            Inet4Address.class, value -> ((InetAddress) value).getHostAddress(),
            Inet6Address.class, value -> ((InetAddress) value).getHostAddress(),
            InetSocketAddress.class, value -> addressOf((InetSocketAddress) value));

    static boolean isOfJackson(ValueSerializer<?> serializer) {
        return serializer.getClass().getName().startsWith("tools.jackson.databind.");
    }

    private static String addressOf(InetSocketAddress socket) {
        InetAddress address = socket.getAddress();
        return (address == null ? socket.getHostString() : address.getHostAddress()) + ":" + socket.getPort();
    }

    private static final class Modifier extends ValueSerializerModifier {

        private static final long serialVersionUID = 1L;

        @Override
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
            if (serializer instanceof JavaUtilCalendarSerializer) {
                return new ZonedCalendar(serializer);
            }
            UnaryOperator<Object> exact = EXACT.get(description.getBeanClass());
            return exact != null && isOfJackson(serializer) ? new Exact(serializer, exact) : serializer;
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

    /** A serializer that writes another value, if Jackson would write only a part of this one. */
    private static final class Exact extends ValueSerializer<Object> {

        private final ValueSerializer<Object> original;

        private final UnaryOperator<Object> exact;

        @SuppressWarnings("unchecked") // Jackson chose the serializer for the type of its values.
        Exact(ValueSerializer<?> original, UnaryOperator<Object> exact) {
            this.original = (ValueSerializer<Object>) original;
            this.exact = exact;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return new Exact(original.createContextual(context, property), exact);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            Object other = exact.apply(value);
            if (other == value) {
                original.serialize(value, generator, context);
            } else {
                context.findValueSerializer(other.getClass()).serialize(other, generator, context);
            }
        }
    }
}
