package io.idempotency.internal.fingerprint;

import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

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
import tools.jackson.databind.type.CollectionType;

/**
 * The Jackson module that writes a set as an object with a list, because JSON has only lists and the order of a set differs between
 * JVMs.
 */
public final class MarkedSets extends SimpleModule {

    /**
     * The name of the only member of an object that represents a set. It is random, so that no member name of a client
     * can equal it. It may differ in each JVM, because it is not stored.
     */
    public static final String NAME = "set " + UUID.randomUUID();

    private static final long serialVersionUID = 1L;

    /** Creates the module. */
    public MarkedSets() {
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
            if (!Set.class.isAssignableFrom(type.getRawClass())) {
                return serializer;
            }
            return EnumSet.class.isAssignableFrom(type.getRawClass())
                            && !type.getContentType().isEnumImplType()
                    ? new AnyEnumSet(null)
                    : new DelegatingSerializer(serializer, MarkedSets::writeMarked);
        }
    }

    private static void writeMarked(DelegatingSerializer.Value set) {
        set.generator().writeStartObject();
        set.generator().writeName(NAME);
        set.write();
        set.generator().writeEndObject();
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
}
