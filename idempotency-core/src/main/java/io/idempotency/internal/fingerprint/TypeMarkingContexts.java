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
 * that convert a value write at most the type of the converted one. A context is the only place that sees all of them: no modifier is asked
 * about serializers and converters that an annotation names.
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

    private static final class Marking extends DelegatingSerializer {

        Marking(ValueSerializer<Object> serializer) {
            super(serializer, Value::write);
        }

        @Override
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            return context.handleSecondaryContextualization(delegate, property);
        }

        /** Its members are the surrounding object's, which has the mark. */
        @Override
        public ValueSerializer<Object> unwrappingSerializer(NameTransformer unwrapper) {
            return delegate.unwrappingSerializer(unwrapper);
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer types) {
            TypeSerializer own = types instanceof TypeMarking.Marker marker ? marker.ownTypeOf(context, value) : types;
            if (own != null) {
                delegate.serializeWithType(value, generator, context, own);
                return;
            }
            WritableTypeId id =
                    types.writeTypePrefix(generator, context, types.typeId(value, JsonToken.VALUE_EMBEDDED_OBJECT));
            delegate.serialize(value, generator, context);
            types.writeTypeSuffix(generator, context, id);
        }
    }
}
