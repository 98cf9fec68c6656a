package io.idempotency.codec;

import java.io.StringWriter;
import java.io.Writer;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.io.IOContext;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.json.WriterBasedJsonGenerator;
import tools.jackson.databind.ObjectMapper;

/**
 * A mapper whose JSON says nothing but the values that it is made of.
 *
 * @param ioContext of a generator of it that is not in use, for its limits
 */
record StandardJson(ObjectMapper mapper, IOContext ioContext, int streamWriteFeatures) {

    private static final String SAMPLE = "{\"a\":\"b\"}";

    /**
     * Nothing if the mapper has a factory, a decorator, a pretty printer, an escaping or a feature that makes another text of a
     * value, or writes no text at all.
     */
    static @Nullable StandardJson of(ObjectMapper mapper) {
        StringWriter written = new StringWriter();
        try (JsonGenerator generator = mapper.createGenerator(written)) {
            return generator.getClass() == WriterBasedJsonGenerator.class
                            && generator.streamWriteOutputTarget() == written
                            && isStandard((WriterBasedJsonGenerator) generator)
                            && isSampleWrittenAsUsual(generator, written)
                    ? of(mapper, (WriterBasedJsonGenerator) generator)
                    : null;
        } catch (UnsupportedOperationException binary) {
            return null;
        }
    }

    private static boolean isSampleWrittenAsUsual(JsonGenerator generator, StringWriter written) {
        generator
                .writeStartObject()
                .writeStringProperty("a", "b")
                .writeEndObject()
                .flush();
        return written.toString().equals(SAMPLE);
    }

    private static StandardJson of(ObjectMapper mapper, WriterBasedJsonGenerator generator) {
        return new StandardJson(mapper, generator.ioContext(), generator.streamWriteFeatures());
    }

    private static boolean isStandard(WriterBasedJsonGenerator generator) {
        return generator.getCharacterEscapes() == null
                && generator.getPrettyPrinter() == null
                && generator.isEnabled(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                && !generator.isEnabled(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS)
                && !generator.isEnabled(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
                && !generator.isEnabled(StreamWriteFeature.STRICT_DUPLICATE_DETECTION);
    }

    /** Of a generator of the mapper, as its serializers know it. */
    ObjectWriteContext newContext() {
        try (JsonGenerator generator = mapper.createGenerator(Writer.nullWriter())) {
            return generator.objectWriteContext();
        }
    }
}
