package io.idempotency.internal.fingerprint;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Predicate;
import java.util.stream.BaseStream;

import com.fasterxml.jackson.annotation.JsonFormat;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.introspect.VirtualAnnotatedMember;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.BeanSerializerBuilder;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.VirtualBeanPropertyWriter;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.jdk.EnumSerializer;
import tools.jackson.databind.ser.jdk.JDKKeySerializers;
import tools.jackson.databind.ser.std.ToEmptyObjectSerializer;
import tools.jackson.databind.type.CollectionType;
import tools.jackson.databind.type.MapType;
import tools.jackson.databind.util.NameTransformer;
import tools.jackson.databind.util.SimpleBeanPropertyDefinition;

/**
 * The Jackson module that refuses values whose state is not in their JSON, wherever they stand: values of one class would
 * all look equal. What an application writes by a serializer of its own or as {@code @JsonValue} is never refused.
 */
public final class StateModule extends SimpleModule {

    private static final long serialVersionUID = 1L;

    /** @param everyMember whether a value is also refused if one of its members is not in its JSON and is set */
    StateModule(boolean everyMember) {
        setSerializerModifier(new Modifier(everyMember));
    }

    /** Makes a mapper that refuses values of which nothing is in their JSON. */
    public static ObjectMapper addTo(ObjectMapper mapper) {
        return mapper.rebuild().addModule(new StateModule(false)).build();
    }

    private static final class Modifier extends ValueSerializerModifier {

        private static final long serialVersionUID = 1L;

        private final boolean everyMember;

        Modifier(boolean everyMember) {
            this.everyMember = everyMember;
        }

        @Override
        public BeanSerializerBuilder updateBuilder(
                SerializationConfig config, BeanDescription.Supplier description, BeanSerializerBuilder builder) {
            Class<?> type = description.getBeanClass();
            if (builder.getProperties().isEmpty() || (everyMember && type.isEnum())) {
                // Another serializer may write it.
                return builder;
            }
            ClassState state = new ClassState(
                    type,
                    builder.getProperties().stream()
                            .map(property -> property.getMember().getMember())
                            .filter(Objects::nonNull)
                            .toList());
            if (description.get().findAnyGetter() != null) {
                state.showEntries();
            }
            if (state.isInvisible(type)) {
                check(config, description, builder, List.of());
            } else if (everyMember && !state.hidden().isEmpty()) {
                check(config, description, builder, state.hidden());
            }
            return builder;
        }

        /** Adds a property that writes nothing; the first one, so that no getter fails before. */
        private static void check(
                SerializationConfig config,
                BeanDescription.Supplier description,
                BeanSerializerBuilder builder,
                List<Field> hidden) {
            BeanPropertyWriter check = new StateCheck(config, description.getClassInfo(), hidden);
            List<BeanPropertyWriter> properties = new ArrayList<>(builder.getProperties());
            properties.add(0, check);
            builder.setProperties(properties);
            if (builder.getFilteredProperties() != null) {
                List<BeanPropertyWriter> inView = new ArrayList<>(Arrays.asList(builder.getFilteredProperties()));
                inView.add(0, check);
                builder.setFilteredProperties(inView.toArray(BeanPropertyWriter[]::new));
            }
        }

        @Override
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
            Class<?> type = description.getBeanClass();
            if (everyMember && type.isEnum() && serializer instanceof BeanSerializerBase) {
                return EnumSerializer.construct(type, config, description.get(), JsonFormat.Value.empty());
            }
            if (everyMember && isUsedUp(type) && PayloadModule.isOfJackson(serializer)) {
                return new Refusing(type.getName() + " is no data, because reading it uses it up");
            }
            if (writesNothing(serializer)) {
                return (everyMember ? !isEmptyValue(type, serializer) : hasState(type))
                        ? new Refusing(notInJson(type))
                        : serializer;
            }
            return serializer instanceof BeanSerializerBase
                            || !PayloadModule.isOfJackson(serializer)
                            || description.get().findJsonValueAccessor() != null
                    ? serializer
                    : checked(type, serializer);
        }

        private static boolean isUsedUp(Class<?> type) {
            return Iterator.class.isAssignableFrom(type) || BaseStream.class.isAssignableFrom(type);
        }

        private static boolean writesNothing(ValueSerializer<?> serializer) {
            return serializer instanceof UnknownSerializer
                    || serializer instanceof ToEmptyObjectSerializer
                    || (serializer instanceof BeanSerializerBase
                            && !serializer.properties().hasNext());
        }

        /** Returns whether a class is data without state, and not the code of a lambda or an anonymous class. */
        private static boolean isEmptyValue(Class<?> type, ValueSerializer<?> serializer) {
            return serializer instanceof BeanSerializerBase && !hasState(type) && !PayloadTypes.isGenerated(type);
        }

        private static boolean hasState(Class<?> type) {
            return new ClassState(type, List.of()).isInvisible(type);
        }

        @Override
        public ValueSerializer<?> modifyKeySerializer(
                SerializationConfig config,
                JavaType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            return everyMember
                            && serializer instanceof JDKKeySerializers.Default
                            && description.get().findJsonKeyAccessor() == null
                            && description.get().findJsonValueAccessor() == null
                            && isTextOfIdentity(type.getRawClass())
                    ? new Refusing(type.getRawClass().getName()
                            + " has no text for the key of a map: give it a toString of its"
                            + " state, or use a string as the key")
                    : serializer;
        }

        private static boolean isTextOfIdentity(Class<?> key) {
            try {
                return key != byte[].class && key.getMethod("toString").getDeclaringClass() == Object.class;
            } catch (NoSuchMethodException ofInterface) {
                return false;
            }
        }

        @Override
        public ValueSerializer<?> modifyCollectionSerializer(
                SerializationConfig config,
                CollectionType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            return checked(type.getRawClass(), serializer);
        }

        @Override
        public ValueSerializer<?> modifyMapSerializer(
                SerializationConfig config,
                MapType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            return checked(type.getRawClass(), serializer);
        }

        private static ValueSerializer<?> checked(Class<?> type, ValueSerializer<?> serializer) {
            List<Field> added = addedToPlatform(type);
            return added.isEmpty() && !Properties.class.isAssignableFrom(type)
                    ? serializer
                    : new CheckedSubclass(serializer, added);
        }

        /**
         * Returns the fields that a class has beside what is written: those that it adds to a complete class of the platform, such as
         * ArrayList or BigDecimal, and of an Iterable or a Number of its own those that hold no elements and no numbers.
         */
        private static List<Field> addedToPlatform(Class<?> type) {
            Class<?> complete = type;
            while (complete != null && !PayloadTypes.isOfPlatform(complete)) {
                complete = complete.getSuperclass();
            }
            if (complete == null || complete == type || JacksonSerializable.class.isAssignableFrom(type)) {
                return List.of();
            }
            List<Field> added = new ClassState(type, List.of())
                    .hidden().stream()
                            .filter(field -> !PayloadTypes.isOfPlatform(field.getDeclaringClass()))
                            .toList();
            if (complete == Number.class) {
                return besides(added, Modifier::isNumber);
            }
            if (complete == Object.class) {
                // Collections and maps of libraries, such as JPA's, have more state than their elements.
                boolean isOnlyIterable =
                        Iterable.class.isAssignableFrom(type) && !Collection.class.isAssignableFrom(type);
                return isOnlyIterable ? besides(added, Modifier::isContainer) : List.of();
            }
            return java.lang.reflect.Modifier.isAbstract(complete.getModifiers()) ? List.of() : added;
        }

        /** Returns the fields of other types, if there is one of the types that are written. */
        private static List<Field> besides(List<Field> fields, Predicate<Class<?>> isWritten) {
            List<Field> others = fields.stream()
                    .filter(field -> !isWritten.test(field.getType()))
                    .toList();
            return others.size() == fields.size() ? List.of() : others;
        }

        private static boolean isNumber(Class<?> type) {
            return Number.class.isAssignableFrom(ClassUtils.resolvePrimitiveIfNecessary(type));
        }

        private static boolean isContainer(Class<?> type) {
            return type.isArray() || Iterable.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type);
        }
    }

    private static String notInJson(Class<?> type) {
        return "The state of " + type.getName()
                + " is not in its JSON, so that different values look equal: give its fields getters of the same names, or the"
                + " class a serializer, or use a class that JSON shows";
    }

    private static void requireUnset(List<Field> hidden, Object bean, JsonGenerator generator) {
        for (Field field : hidden) {
            if (isSet(field, bean, generator)) {
                throw new RefusedPayloadException("The member '" + field.getName() + "' of "
                        + field.getDeclaringClass().getName()
                        + " is set, but is not in its JSON, so that values which differ in it look equal: let JSON have it"
                        + " by a getter of its name (for fingerprints @JsonProperty(access = WRITE_ONLY) is enough), or declare it transient if it is no"
                        + " part of the value");
            }
        }
    }

    private static boolean isSet(Field field, Object bean, JsonGenerator generator) {
        try {
            if (!field.trySetAccessible()) {
                return true;
            }
            Object value = field.get(bean);
            return !isUnset(field, value) && !surrounds(value, generator.streamWriteContext());
        } catch (IllegalAccessException impossible) {
            return true;
        }
    }

    private static boolean isUnset(Field field, @Nullable Object value) {
        if (value == null || !PayloadTypes.isOfPlatform(value.getClass())) {
            // Asking a lazy collection would load it.
            return value == null;
        }
        if (field.getType().isPrimitive()) {
            return value instanceof Number number
                    ? number.doubleValue() == 0
                    : value.equals(false) || value.equals('\0');
        }
        return (value instanceof Collection<?> collection && collection.isEmpty())
                || (value instanceof Map<?, ?> map && map.isEmpty())
                || value.equals(Optional.empty());
    }

    /** Returns whether a value is written already around this place, so that the member only leads back to it. */
    private static boolean surrounds(@Nullable Object value, @Nullable TokenStreamContext place) {
        for (TokenStreamContext around = place; around != null; around = around.getParent()) {
            if (around.currentValue() == value) {
                return true;
            }
        }
        return false;
    }

    /** A property that writes nothing, and refuses a bean whose state is not in its JSON. */
    private static final class StateCheck extends VirtualBeanPropertyWriter {

        private static final long serialVersionUID = 1L;

        private final transient List<Field> hidden;

        /** @param hidden members that must not be set; empty if every bean is refused */
        StateCheck(SerializationConfig config, AnnotatedClass type, List<Field> hidden) {
            super(definition(config, type), type.getAnnotations(), config.constructType(Object.class));
            this.hidden = hidden;
        }

        private static BeanPropertyDefinition definition(SerializationConfig config, AnnotatedClass type) {
            return SimpleBeanPropertyDefinition.construct(
                    config,
                    new VirtualAnnotatedMember(
                            type, type.getRawType(), RefusedPayloadException.CHECK, config.constructType(Object.class)),
                    PropertyName.construct(RefusedPayloadException.CHECK));
        }

        @Override
        public void serializeAsProperty(Object bean, JsonGenerator generator, SerializationContext context) {
            if (hidden.isEmpty()) {
                throw new RefusedPayloadException(notInJson(bean.getClass()));
            }
            requireUnset(hidden, bean, generator);
        }

        @Override
        public void serializeAsElement(Object bean, JsonGenerator generator, SerializationContext context) {
            serializeAsProperty(bean, generator, context);
        }

        @Override
        public BeanPropertyWriter rename(NameTransformer transformer) {
            return this;
        }

        @Override
        protected @Nullable Object value(Object bean, JsonGenerator generator, SerializationContext context) {
            return null;
        }

        @Override
        public VirtualBeanPropertyWriter withConfig(
                MapperConfig<?> config,
                AnnotatedClass declaringClass,
                BeanPropertyDefinition definition,
                JavaType type) {
            return this;
        }
    }

    /** A serializer of a class of values that cannot be told apart. */
    private static final class Refusing extends ValueSerializer<Object> {

        private final String problem;

        Refusing(String problem) {
            this.problem = problem;
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            throw new RefusedPayloadException(problem);
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer types) {
            serialize(value, generator, context);
        }
    }

    /** A serializer of subclasses of what the platform has, with members that it does not know. */
    private static final class CheckedSubclass extends ValueSerializer<Object> {

        private final ValueSerializer<Object> original;

        private final List<Field> added;

        @SuppressWarnings("unchecked") // Jackson chose the serializer for the type of its values.
        CheckedSubclass(ValueSerializer<?> original, List<Field> added) {
            this.original = (ValueSerializer<Object>) original;
            this.added = added;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return new CheckedSubclass(original.createContextual(context, property), added);
        }

        @Override
        public void resolve(SerializationContext context) {
            original.resolve(context);
        }

        @Override
        public boolean isEmpty(SerializationContext context, Object value) {
            return original.isEmpty(context, value);
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            check(value, generator);
            original.serialize(value, generator, context);
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer types) {
            check(value, generator);
            original.serializeWithType(value, generator, context, types);
        }

        private void check(Object value, JsonGenerator generator) {
            requireUnset(added, value, generator);
            if (value instanceof Properties properties
                    && !properties.keySet().containsAll(properties.stringPropertyNames())) {
                throw new RefusedPayloadException(
                        "The defaults of " + value.getClass().getName() + " are not in its JSON: copy them into it");
            }
        }
    }
}
