package io.idempotency.codec;

import java.io.InputStream;
import java.io.Reader;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.Base64Variant;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.StreamWriteCapability;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.TreeNode;
import tools.jackson.core.Version;
import tools.jackson.core.base.GeneratorBase;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.io.NumberOutput;
import tools.jackson.core.json.PackageVersion;
import tools.jackson.core.util.JacksonFeatureSet;
import tools.jackson.core.util.SimpleStreamWriteContext;

/**
 * Gives a {@link CanonicalWriter} what a mapper writes, so that the JSON need not be read again. Whoever writes JSON itself,
 * and not its values, leaves it {@linkplain #isUsable() unusable}.
 */
final class CanonicalGenerator extends GeneratorBase {

    private final StandardJson standard;

    private final CanonicalWriter canonical;

    private SimpleStreamWriteContext context = SimpleStreamWriteContext.createRootContext(null);

    private boolean isUsable = true;

    CanonicalGenerator(StandardJson standard, CanonicalText text) {
        super(ObjectWriteContext.empty(), standard.ioContext(), standard.streamWriteFeatures());
        this.standard = standard;
        this.canonical = new CanonicalWriter(text);
    }

    /** Whether a value was written as a whole, and the text is that of all that was written. */
    boolean isUsable() {
        return isUsable && canonical.isComplete();
    }

    /** What is written to the context is not seen here. */
    @Override
    public ObjectWriteContext objectWriteContext() {
        isUsable = false;
        return standard.newContext();
    }

    /** A serializer may catch it and go on. */
    private void refuse(String message) {
        isUsable = false;
        _reportError(message);
    }

    private JsonGenerator leaveUnusable() {
        isUsable = false;
        return this;
    }

    /** In the place of a value that is not known. */
    private JsonGenerator leaveUnusable(String task) {
        _verifyValueWrite(task);
        canonical.nothing();
        return leaveUnusable();
    }

    @Override
    protected void _verifyValueWrite(String task) {
        if (!context.writeValue()) {
            refuse("Cannot " + task + ", expecting a property name");
        }
        isUsable &= !canonical.isComplete();
    }

    @Override
    public JsonGenerator writeStartArray() {
        return writeStartArray(null);
    }

    @Override
    public JsonGenerator writeStartArray(@Nullable Object forValue) {
        _verifyValueWrite("start an array");
        enter(context.createChildArrayContext(forValue));
        canonical.beginArray();
        return this;
    }

    @Override
    public JsonGenerator writeStartObject() {
        return writeStartObject(null);
    }

    @Override
    public JsonGenerator writeStartObject(@Nullable Object forValue) {
        _verifyValueWrite("start an object");
        enter(context.createChildObjectContext(forValue));
        canonical.beginObject();
        return this;
    }

    private void enter(SimpleStreamWriteContext child) {
        streamWriteConstraints().validateNestingDepth(child.getNestingDepth());
        context = child;
    }

    @Override
    public JsonGenerator writeEndArray() {
        if (!context.inArray()) {
            refuse("Current context not Array but " + context.typeDesc());
        }
        context = context.clearAndGetParent();
        canonical.endArray();
        return this;
    }

    @Override
    public JsonGenerator writeEndObject() {
        if (!context.inObject()) {
            refuse("Current context not Object but " + context.typeDesc());
        }
        context = context.clearAndGetParent();
        canonical.endObject();
        return this;
    }

    @Override
    public JsonGenerator writeName(String name) {
        if (!context.writeName(name)) {
            refuse("Cannot write a property name, expecting a value");
        }
        canonical.name(name);
        return this;
    }

    @Override
    public JsonGenerator writePropertyId(long id) {
        return writeName(Long.toString(id));
    }

    @Override
    public JsonGenerator writeString(@Nullable String value) {
        if (value == null) {
            return writeNull();
        }
        _verifyValueWrite(WRITE_STRING);
        canonical.string(value);
        return this;
    }

    @Override
    public JsonGenerator writeString(char[] buffer, int offset, int length) {
        return writeString(new String(buffer, offset, length));
    }

    @Override
    public JsonGenerator writeNumber(short value) {
        return writeNumber((long) value);
    }

    @Override
    public JsonGenerator writeNumber(int value) {
        return writeNumber((long) value);
    }

    @Override
    public JsonGenerator writeNumber(long value) {
        return integer(Long.toString(value));
    }

    @Override
    public JsonGenerator writeNumber(@Nullable BigInteger value) {
        PayloadBounds.check(value);
        return value == null ? writeNull() : integer(value.toString());
    }

    private JsonGenerator integer(String digits) {
        _verifyValueWrite(WRITE_NUMBER);
        canonical.integer(digits);
        return this;
    }

    @Override
    public JsonGenerator writeNumber(double value) {
        String text = NumberOutput.toString(value, isEnabled(StreamWriteFeature.USE_FAST_DOUBLE_WRITER));
        return NumberOutput.notFinite(value) ? writeString(text) : writeNumber(new BigDecimal(text));
    }

    @Override
    public JsonGenerator writeNumber(float value) {
        String text = NumberOutput.toString(value, isEnabled(StreamWriteFeature.USE_FAST_DOUBLE_WRITER));
        return NumberOutput.notFinite(value) ? writeString(text) : writeNumber(new BigDecimal(text));
    }

    @Override
    public JsonGenerator writeNumber(@Nullable BigDecimal value) {
        if (value == null) {
            return writeNull();
        }
        // A serializer may have asked for it, and a plain one can be too long.
        isUsable &= !isEnabled(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN);
        _verifyValueWrite(WRITE_NUMBER);
        canonical.decimal(value);
        return this;
    }

    @Override
    public JsonGenerator writeBoolean(boolean value) {
        _verifyValueWrite(WRITE_BOOLEAN);
        canonical.literal(Boolean.toString(value));
        return this;
    }

    @Override
    public JsonGenerator writeNull() {
        _verifyValueWrite(WRITE_NULL);
        canonical.nothing();
        return this;
    }

    @Override
    public TokenStreamContext streamWriteContext() {
        return context;
    }

    @Override
    public @Nullable Object currentValue() {
        return context.currentValue();
    }

    @Override
    public void assignCurrentValue(Object value) {
        context.assignCurrentValue(value);
    }

    @Override
    public JacksonFeatureSet<StreamWriteCapability> streamWriteCapabilities() {
        return DEFAULT_TEXTUAL_WRITE_CAPABILITIES;
    }

    @Override
    public Version version() {
        return PackageVersion.VERSION;
    }

    @Override
    public Object streamWriteOutputTarget() {
        isUsable = false;
        return Writer.nullWriter();
    }

    @Override
    public int streamWriteOutputBuffered() {
        return -1;
    }

    @Override
    public JsonGenerator writeString(Reader reader, int length) {
        return leaveUnusable(WRITE_STRING);
    }

    @Override
    public JsonGenerator writeRawUTF8String(byte[] buffer, int offset, int length) {
        return leaveUnusable(WRITE_STRING);
    }

    @Override
    public JsonGenerator writeUTF8String(byte[] buffer, int offset, int length) {
        return leaveUnusable(WRITE_STRING);
    }

    @Override
    public JsonGenerator writeRaw(String text) {
        return leaveUnusable();
    }

    @Override
    public JsonGenerator writeRaw(String text, int offset, int length) {
        return leaveUnusable();
    }

    @Override
    public JsonGenerator writeRaw(char[] text, int offset, int length) {
        return leaveUnusable();
    }

    @Override
    public JsonGenerator writeRaw(char character) {
        return leaveUnusable();
    }

    @Override
    public JsonGenerator writeRaw(SerializableString text) {
        return leaveUnusable();
    }

    @Override
    public JsonGenerator writeRawValue(String text) {
        return leaveUnusable(WRITE_RAW);
    }

    @Override
    public JsonGenerator writeRawValue(String text, int offset, int length) {
        return leaveUnusable(WRITE_RAW);
    }

    @Override
    public JsonGenerator writeRawValue(char[] text, int offset, int length) {
        return leaveUnusable(WRITE_RAW);
    }

    @Override
    public JsonGenerator writeRawValue(SerializableString text) {
        return leaveUnusable(WRITE_RAW);
    }

    @Override
    public JsonGenerator writeBinary(Base64Variant variant, byte[] data, int offset, int length) {
        _checkRangeBoundsForByteArray(data, offset, length);
        return variant.getMaxLineLength() == Integer.MAX_VALUE
                ? writeString(variant.encode(Arrays.copyOfRange(data, offset, offset + length)))
                : leaveUnusable(WRITE_BINARY);
    }

    @Override
    public JsonGenerator writeNumber(String encoded) {
        return leaveUnusable(WRITE_NUMBER);
    }

    @Override
    public JsonGenerator writePOJO(@Nullable Object value) {
        return leaveUnusable("write a POJO");
    }

    @Override
    public JsonGenerator writeTree(@Nullable TreeNode tree) {
        return leaveUnusable("write a tree");
    }

    @Override
    public int writeBinary(Base64Variant variant, InputStream data, int length) {
        leaveUnusable(WRITE_BINARY);
        return length;
    }

    @Override
    public void flush() {}

    @Override
    public JsonGenerator setCharacterEscapes(CharacterEscapes escapes) {
        return leaveUnusable();
    }

    /** The buffers are not its own, and whoever has taken them does not close it. */
    @Override
    public void close() {
        isUsable = false;
    }

    @Override
    protected void _closeInput() {}

    @Override
    protected void _releaseBuffers() {}
}
