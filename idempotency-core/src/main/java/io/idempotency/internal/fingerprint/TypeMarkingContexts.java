package io.idempotency.internal.fingerprint;

import java.util.Set;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.type.WritableTypeId;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.cfg.GeneratorSettings;
import tools.jackson.databind.cfg.SerializationContexts;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.SerializationContextExt;
import tools.jackson.databind.ser.SerializerCache;
import tools.jackson.databind.ser.SerializerFactory;
import tools.jackson.databind.util.NameTransformer;

/**
 * The contexts that make every serializer mark types. Serializers of applications often ignore types, and serializers
 * that convert a value write at most the type of the converted one.
 */
final class TypeMarkingContexts extends SerializationContexts.DefaultImpl {

    private static final long serialVersionUID = 1L;

    /** Names and not classes, because some versions of Jackson have only one of them. */
    private static final Set<String> CONVERTING =
            Set.of("JsonValueSerializer", "StdConvertingSerializer", "StdDelegatingSerializer");

    private static final ClassValue<Boolean> SUPPORTS_TYPES = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> serializer) {
            try {
                return !CONVERTING.contains(serializer.getSimpleName())
                        && serializer
                                        .getMethod(
                                                "serializeWithType",
                                                Object.class,
                                                JsonGenerator.class,
                                                SerializationContext.class,
                                                TypeSerializer.class)
                                        .getDeclaringClass()
                                != ValueSerializer.class;
            } catch (NoSuchMethodException impossible) {
                throw new IllegalStateException("Every serializer has the method", impossible);
            }
        }
    };

    TypeMarkingContexts() {}

    private TypeMarkingContexts(TokenStreamFactory streams, SerializerFactory serializers, SerializerCache cache) {
        super(streams, serializers, cache);
    }

    @Override
    public SerializationContexts forMapper(
            Object mapper, TokenStreamFactory streams, SerializerFactory serializers, SerializerCache cache) {
        return new TypeMarkingContexts(streams, serializers, cache);
    }

    @Override
    public SerializationContextExt createContext(SerializationConfig config, GeneratorSettings settings) {
        return new Context(_streamFactory, config, settings, _serializerFactory, _cache);
    }

    private static final class Context extends SerializationContextExt {

        Context(
                TokenStreamFactory streams,
                SerializationConfig config,
                GeneratorSettings settings,
                SerializerFactory serializers,
                SerializerCache cache) {
            super(streams, config, settings, serializers, cache);
        }

        @Override
        public ValueSerializer<Object> handleRootContextualization(ValueSerializer<?> serializer) {
            return marking(super.handleRootContextualization(serializer));
        }

        @Override
        public ValueSerializer<Object> handlePrimaryContextualization(
                ValueSerializer<?> serializer, BeanProperty property) {
            return marking(super.handlePrimaryContextualization(serializer, property));
        }

        @Override
        public ValueSerializer<Object> handleSecondaryContextualization(
                ValueSerializer<?> serializer, BeanProperty property) {
            return marking(super.handleSecondaryContextualization(serializer, property));
        }

        /** Accepts {@code null}, because Jackson also calls it without a serializer. */
        private static ValueSerializer<Object> marking(ValueSerializer<Object> serializer) {
            return serializer == null || SUPPORTS_TYPES.get(serializer.getClass())
                    ? serializer
                    : new Marking(serializer);
        }
    }

    private static final class Marking extends ValueSerializer<Object> {

        private final ValueSerializer<Object> serializer;

        Marking(ValueSerializer<Object> serializer) {
            this.serializer = serializer;
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return context.handleSecondaryContextualization(serializer, property);
        }

        @Override
        public boolean isEmpty(SerializationContext context, Object value) {
            return serializer.isEmpty(context, value);
        }

        @Override
        public ValueSerializer<Object> unwrappingSerializer(NameTransformer unwrapper) {
            return serializer.unwrappingSerializer(unwrapper);
        }

        @Override
        public Class<?> handledType() {
            return serializer.handledType();
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            serializer.serialize(value, generator, context);
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer types) {
            TypeSerializer own = types instanceof TypeMarking.Marker marker ? marker.ownTypeOf(context, value) : types;
            if (own != null) {
                serializer.serializeWithType(value, generator, context, own);
                return;
            }
            WritableTypeId id =
                    types.writeTypePrefix(generator, context, types.typeId(value, JsonToken.VALUE_EMBEDDED_OBJECT));
            serializer.serialize(value, generator, context);
            types.writeTypeSuffix(generator, context, id);
        }
    }
}
