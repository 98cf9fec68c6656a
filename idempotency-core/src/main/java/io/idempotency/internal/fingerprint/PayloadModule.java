package io.idempotency.internal.fingerprint;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.Base64;
import java.util.Calendar;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import javax.xml.datatype.XMLGregorianCalendar;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;

/**
 * The Jackson module that writes values of the platform exactly, of which Jackson leaves something out, such as the zone of a calendar,
 * or to which it adds what the machine is set to, such as the directory of a process.
 */
final class PayloadModule extends SimpleModule {

    private static final long serialVersionUID = 1L;

    /** The first for a class counts. A value that Jackson writes completely stays as it is. */
    private static final List<ExactType> EXACT = List.of(
            exact(
                    Pattern.class,
                    pattern -> pattern.flags() == 0 ? pattern : List.of(pattern.toString(), pattern.flags())),
            exact(Timestamp.class, time -> time.getNanos() % 1_000_000 == 0 ? time : time.toInstant()),
            // Its text is that of the machine's time zone.
            exact(Time.class, time -> Instant.ofEpochMilli(time.getTime())),
            exact(
                    Calendar.class,
                    calendar ->
                            calendar.toInstant().atZone(calendar.getTimeZone().toZoneId())),
            // Jackson makes it a moment, in the machine's time zone if it has none.
            exact(XMLGregorianCalendar.class, XMLGregorianCalendar::toXMLFormat),
            exact(TimeZone.class, PayloadModule::exactZone),
            exact(Locale.class, PayloadModule::exactLocale),
            // Jackson makes them absolute.
            exact(File.class, file -> file.getPath().replace(File.separatorChar, '/')),
            exact(
                    Path.class,
                    path -> path.getFileSystem() == FileSystems.getDefault()
                            ? path.toString().replace(File.separatorChar, '/')
                            : path),
            // A key of a map would have its position and not its bytes. Some versions of Jackson write what is before
            // it, too.
            exact(ByteBuffer.class, PayloadModule::exactBytes),
            exact(InetAddress.class, InetAddress::getHostAddress),
            exact(InetSocketAddress.class, PayloadModule::addressOf),
            exact(DirectoryStream.class, stream -> {
                throw new RefusedPayloadException(stream.getClass().getName() + " is no data: name what it lists");
            }));

    PayloadModule() {
        setSerializerModifier(new Modifier());
    }

    static boolean isOfJackson(ValueSerializer<?> serializer) {
        return serializer.getClass().getName().startsWith("tools.jackson.databind.");
    }

    private static <T> ExactType exact(Class<T> type, Function<T, Object> exact) {
        return new ExactType(type, value -> exact.apply(type.cast(value)));
    }

    private static @Nullable UnaryOperator<Object> exactOf(Class<?> type) {
        return EXACT.stream()
                .filter(exact -> exact.type().isAssignableFrom(type))
                .findFirst()
                .map(ExactType::exact)
                .orElse(null);
    }

    private static Object exactZone(TimeZone zone) {
        if (!TimeZone.getTimeZone(zone.getID()).hasSameRules(zone)) {
            throw new RefusedPayloadException("The rules of a "
                    + zone.getClass().getName() + " are not in its JSON: use a zone that its id names, or a ZoneId");
        }
        return zone;
    }

    private static Object exactLocale(Locale locale) {
        return Locale.forLanguageTag(locale.toLanguageTag()).equals(locale)
                ? locale
                : List.of(
                        locale.getLanguage(),
                        locale.getScript(),
                        locale.getCountry(),
                        locale.getVariant(),
                        locale.toLanguageTag());
    }

    private static Object exactBytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return Base64.getEncoder().encodeToString(bytes);
    }

    private static String addressOf(InetSocketAddress socket) {
        InetAddress address = socket.getAddress();
        return (address == null ? socket.getHostString() : address.getHostAddress()) + ":" + socket.getPort();
    }

    private record ExactType(Class<?> type, UnaryOperator<Object> exact) {}

    private static final class Modifier extends ValueSerializerModifier {

        private static final long serialVersionUID = 1L;

        @Override
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
            UnaryOperator<Object> exact = exactOf(description.getBeanClass());
            return exact != null && isOfJackson(serializer) ? new Exact(serializer, exact, false) : serializer;
        }

        @Override
        public ValueSerializer<?> modifyKeySerializer(
                SerializationConfig config,
                JavaType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            UnaryOperator<Object> exact = exactOf(type.getRawClass());
            return exact != null && isOfJackson(serializer) ? new Exact(serializer, exact, true) : serializer;
        }
    }

    /** A serializer that writes another value, if Jackson would write only a part of this one. A format counts as written. */
    private static final class Exact extends ValueSerializer<Object> {

        private final ValueSerializer<Object> original;

        private final UnaryOperator<Object> exact;

        private final boolean isKey;

        @SuppressWarnings("unchecked") // Jackson chose the serializer for the type of its values.
        Exact(ValueSerializer<?> original, UnaryOperator<Object> exact, boolean isKey) {
            this.original = (ValueSerializer<Object>) original;
            this.exact = exact;
            this.isKey = isKey;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            ValueSerializer<?> formatted = original.createContextual(context, property);
            return formatted == original ? this : formatted;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            Object other = exact.apply(value);
            if (other == value) {
                original.serialize(value, generator, context);
            } else if (isKey) {
                generator.writeName(other.toString());
            } else {
                context.findValueSerializer(other.getClass()).serialize(other, generator, context);
            }
        }
    }
}
