package io.idempotency.internal.fingerprint;

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.BaseStream;

import com.fasterxml.jackson.annotation.JsonFormat;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.jdk.EnumSerializer;
import tools.jackson.databind.ser.jdk.JDKKeySerializers;
import tools.jackson.databind.ser.std.NullSerializer;
import tools.jackson.databind.ser.std.ToEmptyObjectSerializer;
import tools.jackson.databind.type.CollectionType;
import tools.jackson.databind.type.MapType;

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
        public ValueSerializer<?> modifySerializer(
                SerializationConfig config, BeanDescription.Supplier description, ValueSerializer<?> serializer) {
            Class<?> type = description.getBeanClass();
            boolean writesMembers = serializer instanceof BeanSerializerBase;
            if (everyMember && type.isEnum() && writesMembers) {
                return EnumSerializer.construct(type, config, description.get(), JsonFormat.Value.empty());
            }
            if (everyMember && isUsedUp(type) && PayloadModule.isOfJackson(serializer)) {
                return refusing(type.getName() + " is no data, because reading it uses it up");
            }
            if (writesNothing(serializer)) {
                return (everyMember ? !isEmptyValue(type, serializer) : hasState(type))
                        ? refusing(notInJson(type))
                        : serializer;
            }
            if (writesMembers) {
                return withMembersChecked(type, description.get(), serializer);
            }
            return !PayloadModule.isOfJackson(serializer) || description.get().findJsonValueAccessor() != null
                    ? serializer
                    : withElementsChecked(type, serializer);
        }

        private ValueSerializer<?> withMembersChecked(
                Class<?> type, BeanDescription description, ValueSerializer<?> serializer) {
            List<Member> accessors = new ArrayList<>();
            serializer.properties().forEachRemaining(property -> {
                if (property.getMember().getMember() != null) {
                    accessors.add(property.getMember().getMember());
                }
            });
            ObjectState state = ObjectState.of(type);
            Set<Field> shown = state.shownBy(accessors);
            if (description.findAnyGetter() != null) {
                shown.addAll(state.entries());
            }
            if (state.isInvisible(shown)) {
                return checking(
                        serializer, value -> refuse(notInJson(value.object().getClass())));
            }
            List<Field> hidden = everyMember ? state.hidden(shown) : List.of();
            return hidden.isEmpty() ? serializer : checking(serializer, value -> requireUnset(hidden, value));
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
            return ObjectState.of(type).isInvisible(Set.of());
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
                    ? refusing(type.getRawClass().getName()
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
            return withElementsChecked(type.getRawClass(), serializer);
        }

        @Override
        public ValueSerializer<?> modifyMapSerializer(
                SerializationConfig config,
                MapType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            return withElementsChecked(type.getRawClass(), serializer);
        }

        private static ValueSerializer<?> withElementsChecked(Class<?> type, ValueSerializer<?> serializer) {
            List<Field> added = addedToPlatform(type);
            return added.isEmpty() && !Properties.class.isAssignableFrom(type)
                    ? serializer
                    : checking(serializer, value -> {
                        requireUnset(added, value);
                        requireNoDefaults(value.object());
                    });
        }

        /**
         * Returns the fields that a class has beside what is written: those that it adds to a complete class of the platform, such as
         * ArrayList or BigDecimal, and of an Iterable or a Number of its own those that hold no elements and no numbers. Collections
         * and maps of libraries, such as JPA's, have more state than their elements.
         */
        private static List<Field> addedToPlatform(Class<?> type) {
            ObjectState state = ObjectState.of(type);
            if (JacksonSerializable.class.isAssignableFrom(type)) {
                return List.of();
            }
            List<Field> added = state.hidden(Set.of()).stream()
                    .filter(state.ownFields()::contains)
                    .toList();
            if (state.platformClass() == Number.class) {
                return besides(added, Modifier::isNumber);
            }
            boolean isOnlyIterable = Iterable.class.isAssignableFrom(type) && !Collection.class.isAssignableFrom(type);
            if (state.platformClass() == Object.class && isOnlyIterable) {
                return besides(added, Modifier::isContainer);
            }
            return state.extendsCompleteClass() ? added : List.of();
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

    /** Makes the serializer of a class whose values cannot be told apart. None of them is empty, so that none is left out. */
    private static ValueSerializer<?> refusing(String problem) {
        return new DelegatingSerializer(NullSerializer.instance, value -> refuse(problem));
    }

    /** Makes a serializer that checks each value before it writes anything, so that no getter fails before. */
    private static ValueSerializer<?> checking(
            ValueSerializer<?> serializer, Consumer<DelegatingSerializer.Value> check) {
        return new DelegatingSerializer(serializer, check.andThen(StateModule::write));
    }

    private static void write(DelegatingSerializer.Value value) {
        if (value.object() == value.generator().streamWriteContext().currentValue()
                && !value.delegate().usesObjectId()
                && value.context().isEnabled(SerializationFeature.FAIL_ON_SELF_REFERENCES)) {
            // Jackson finds this only if it knows the serializer of the member.
            value.context().reportBadDefinition(value.object().getClass(), "Direct self-reference leading to cycle");
        }
        value.write();
    }

    private static void refuse(String problem) {
        throw new RefusedPayloadException(problem);
    }

    private static String notInJson(Class<?> type) {
        return "The state of " + type.getName()
                + " is not in its JSON, so that different values look equal: give its fields getters of the same names, or the"
                + " class a serializer, or use a class that JSON shows";
    }

    private static void requireUnset(List<Field> hidden, DelegatingSerializer.Value value) {
        for (Field field : hidden) {
            if (isSet(field, value.object(), value.generator().streamWriteContext())) {
                refuse("The member '" + field.getName() + "' of "
                        + field.getDeclaringClass().getName()
                        + " is set, but is not in its JSON, so that values which differ in it look equal: let JSON have it"
                        + " by a getter of its name (for fingerprints @JsonProperty(access = WRITE_ONLY) is enough), or declare it transient if it is no"
                        + " part of the value");
            }
        }
    }

    private static void requireNoDefaults(Object value) {
        if (value instanceof Properties properties
                && !properties.keySet().containsAll(properties.stringPropertyNames())) {
            refuse("The defaults of " + value.getClass().getName() + " are not in its JSON: copy them into it");
        }
    }

    private static boolean isSet(Field field, Object owner, TokenStreamContext place) {
        try {
            if (!field.trySetAccessible()) {
                return true;
            }
            Object value = field.get(owner);
            return !isUnset(field, value) && value != owner && !surrounds(value, place);
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
}
