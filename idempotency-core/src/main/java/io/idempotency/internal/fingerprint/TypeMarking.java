package io.idempotency.internal.fingerprint;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;
import tools.jackson.core.type.WritableTypeId;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.jsontype.TypeIdResolver;
import tools.jackson.databind.jsontype.TypeResolverBuilder;
import tools.jackson.databind.jsontype.TypeSerializer;

/**
 * The default typing that marks values whose class differs from their declared type for {@link CanonicalJson}, because
 * a circle of 1 and a square of 1 have the same JSON. If the application configures how types are written, its way is
 * kept.
 */
final class TypeMarking implements TypeResolverBuilder<TypeMarking> {

    private final @Nullable TypeResolverBuilder<?> application;

    private final Map<Class<?>, Optional<TypeSerializer>> ownTypes = new ConcurrentHashMap<>();

    /** @param application default typing of the mapper; {@code null} if there is none */
    TypeMarking(@Nullable TypeResolverBuilder<?> application) {
        this.application = application;
    }

    @Override
    public @Nullable TypeSerializer buildTypeSerializer(
            SerializationContext context, JavaType declared, Collection<NamedType> subtypes) {
        TypeSerializer byDefault =
                application == null ? null : application.buildTypeSerializer(context, declared, subtypes);
        if (byDefault != null) {
            return byDefault;
        }
        JavaType content = declared;
        while (content.isReferenceType()) {
            content = content.getReferencedType();
        }
        return content.isFinal() ? null : new Marker(this, content.getRawClass());
    }

    /** Marks are never read. */
    @Override
    public @Nullable TypeDeserializer buildTypeDeserializer(
            DeserializationContext context, JavaType declared, Collection<NamedType> subtypes) {
        return null;
    }

    @Override
    public @Nullable Class<?> getDefaultImpl() {
        return null;
    }

    @Override
    public TypeMarking init(JsonTypeInfo.Value settings, TypeIdResolver resolver) {
        return this;
    }

    @Override
    public TypeMarking withDefaultImpl(Class<?> implementation) {
        return this;
    }

    @Override
    public TypeMarking withSettings(JsonTypeInfo.Value settings) {
        return this;
    }

    /** Returns the type serializer that the class declares itself; {@code null} if it declares none. */
    private @Nullable TypeSerializer ownTypeOf(SerializationContext context, Class<?> type) {
        Optional<TypeSerializer> known = ownTypes.get(type);
        if (known == null) {
            TypeSerializer found = context.findTypeSerializer(context.constructType(type));
            known = found instanceof Marker ? Optional.empty() : Optional.ofNullable(found);
            ownTypes.put(type, known);
        }
        return known.orElse(null);
    }

    /** The type serializer that marks the values of one declared type. */
    static final class Marker extends TypeSerializer {

        private final TypeMarking marking;

        private final Class<?> declared;

        private Marker(TypeMarking marking, Class<?> declared) {
            this.marking = marking;
            this.declared = declared;
        }

        /**
         * Returns the type serializer that the value's class declares; {@code null} if it declares none or its type
         * does not count.
         */
        @Nullable TypeSerializer ownTypeOf(SerializationContext context, Object value) {
            return PayloadTypes.nameOf(value, declared) == null ? null : marking.ownTypeOf(context, value.getClass());
        }

        @Override
        public TypeSerializer forProperty(SerializationContext context, @Nullable BeanProperty property) {
            return this;
        }

        @Override
        public JsonTypeInfo.As getTypeInclusion() {
            return JsonTypeInfo.As.WRAPPER_OBJECT;
        }

        @Override
        public @Nullable String getPropertyName() {
            return null;
        }

        @Override
        public @Nullable TypeIdResolver getTypeIdResolver() {
            return null;
        }

        @Override
        public WritableTypeId writeTypePrefix(
                JsonGenerator generator, SerializationContext context, WritableTypeId id) {
            TypeSerializer own = ownTypeOf(context, id.forValue);
            if (own != null) {
                WritableTypeId ownId = own.typeId(id.forValue, id.valueShape);
                id.include = ownId.include;
                id.asProperty = ownId.asProperty;
                own.writeTypePrefix(generator, context, id);
                id.extra = own;
                return id;
            }
            String name = PayloadTypes.nameOf(id.forValue, declared);
            if (name != null) {
                generator.writeStartObject();
                generator.writeName(CanonicalJson.TYPE + name);
                id.extra = this;
            }
            if (id.valueShape == JsonToken.START_OBJECT) {
                generator.writeStartObject(id.forValue);
            } else if (id.valueShape == JsonToken.START_ARRAY) {
                generator.writeStartArray(id.forValue);
            }
            return id;
        }

        @Override
        public WritableTypeId writeTypeSuffix(
                JsonGenerator generator, SerializationContext context, WritableTypeId id) {
            if (id.extra instanceof TypeSerializer own && own != this) {
                return own.writeTypeSuffix(generator, context, id);
            }
            if (id.valueShape == JsonToken.START_OBJECT) {
                generator.writeEndObject();
            } else if (id.valueShape == JsonToken.START_ARRAY) {
                generator.writeEndArray();
            }
            if (id.extra == this) {
                generator.writeEndObject();
            }
            return id;
        }
    }
}
