package io.idempotency.internal.fingerprint;

import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.jsonFormatVisitors.JsonFormatVisitorWrapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.util.NameTransformer;

/** A serializer around another one, which adds to what that one writes or refuses it. Jackson has such a class only since 3.1. */
class DelegatingSerializer extends ValueSerializer<Object> {

    final ValueSerializer<Object> delegate;

    private final Consumer<Value> writing;

    @SuppressWarnings("unchecked") // Jackson chose the serializer for the type of its values.
    DelegatingSerializer(ValueSerializer<?> delegate, Consumer<Value> writing) {
        this.delegate = (ValueSerializer<Object>) delegate;
        this.writing = writing;
    }

    private DelegatingSerializer around(ValueSerializer<?> other) {
        return other == delegate ? this : new DelegatingSerializer(other, writing);
    }

    @Override
    public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
        ValueSerializer<?> contextual = delegate.createContextual(context, property);
        // An enum that is written as an object may be written as a text at one place.
        boolean writesOtherwise = delegate instanceof BeanSerializerBase && !(contextual instanceof BeanSerializerBase);
        return writesOtherwise ? contextual : around(contextual);
    }

    @Override
    public ValueSerializer<Object> unwrappingSerializer(NameTransformer unwrapper) {
        return around(delegate.unwrappingSerializer(unwrapper));
    }

    @Override
    public ValueSerializer<?> withIgnoredProperties(Set<String> ignored) {
        return around(delegate.withIgnoredProperties(ignored));
    }

    @Override
    public void resolve(SerializationContext context) {
        delegate.resolve(context);
    }

    @Override
    public boolean isEmpty(SerializationContext context, Object value) {
        return delegate.isEmpty(context, value);
    }

    @Override
    public boolean usesObjectId() {
        return delegate.usesObjectId();
    }

    @Override
    public boolean isUnwrappingSerializer() {
        return delegate.isUnwrappingSerializer();
    }

    @Override
    public Class<?> handledType() {
        return delegate.handledType();
    }

    @Override
    public void acceptJsonFormatVisitor(JsonFormatVisitorWrapper visitor, JavaType type) {
        delegate.acceptJsonFormatVisitor(visitor, type);
    }

    @Override
    public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
        writing.accept(new Value(value, delegate, generator, context, null));
    }

    @Override
    public void serializeWithType(
            Object value, JsonGenerator generator, SerializationContext context, TypeSerializer types) {
        writing.accept(new Value(value, delegate, generator, context, types));
    }

    /** A value in its place. */
    record Value(
            Object object,
            ValueSerializer<Object> delegate,
            JsonGenerator generator,
            SerializationContext context,
            @Nullable TypeSerializer types) {

        void write() {
            if (types == null) {
                delegate.serialize(object, generator, context);
            } else {
                delegate.serializeWithType(object, generator, context, types);
            }
        }
    }
}
