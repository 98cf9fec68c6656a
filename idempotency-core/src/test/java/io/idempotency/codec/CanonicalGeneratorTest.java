package io.idempotency.codec;

import java.io.ByteArrayInputStream;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.core.Base64Variants;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.exc.StreamWriteException;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.io.IOContext;
import tools.jackson.core.io.OutputDecorator;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.util.JsonGeneratorDelegate;
import tools.jackson.databind.JacksonSerializable;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.util.TokenBuffer;

import io.idempotency.PayloadNotFingerprintableException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Without reading JSON again a payload has the fingerprint that it has with it, or is refused as it is there. */
class CanonicalGeneratorTest {

    private static final int TREES = 5_000;

    private static final JsonMapper MAPPER = new JsonMapper();

    /** The generators of this one are decorated, with nothing, so that they write JSON, which is read. */
    private static final JsonMapper READ = JsonMapper.builder(JsonFactory.builder()
                    .addDecorator((factory, generator) -> new JsonGeneratorDelegate(generator))
                    .build())
            .build();

    private final Fingerprinter fingerprinter = new Fingerprinter(MAPPER);

    private final Fingerprinter reading = new Fingerprinter(READ);

    static final List<Object> PAYLOADS_THAT_ARE_NOT_READ = Arrays.asList(
            null,
            true,
            "text \u20ac \ud83d\ude00 \ud800 \u0000 \" \\ /",
            'c',
            (byte) -1,
            (short) 100,
            Long.MIN_VALUE,
            BigInteger.TEN.pow(50).negate(),
            new BigDecimal("-120.00"),
            new BigDecimal("1E+1000000000"),
            0.0,
            -0.0,
            1e300,
            Double.MIN_VALUE,
            2.2250738585072014E-308,
            2.0E-3,
            Double.NaN,
            Double.NEGATIVE_INFINITY,
            1.1f,
            Float.MAX_VALUE,
            Float.NaN,
            new double[] {1, 2.5},
            new byte[] {1, 2, 3, 4},
            new byte[0],
            new char[] {'a', 'b'},
            Instant.ofEpochSecond(1, 1),
            UUID.fromString("8c1ad0f4-7f53-4d4a-9f0b-0c6f6c1f1a55"),
            Map.of(1, "a", 2, "b"),
            Map.of(),
            List.of(),
            Set.of(1, 2, 3),
            Map.of("set", Set.of(List.of("b"), List.of("a"))),
            Arrays.asList(1, null, Arrays.asList((Object) null)),
            Collections.singletonMap("a", null),
            new FingerprinterTest.Payment("alice", 1_000, null),
            new FingerprinterTest.Flat(new FingerprinterTest.Payment("a", 1, "b")),
            new FingerprinterTest.Extensible(Map.of("z", 1, "a", 2)),
            new FingerprinterTest.Commands(Set.of(new FingerprinterTest.Open("x"), new FingerprinterTest.Close("a"))),
            new FingerprinterTest.Labelled(Set.of("a")),
            new FingerprinterTest.NamedList("a"),
            new Dated(Instant.ofEpochSecond(7)),
            MAPPER.readTree("{\"b\": [1, 2.50, null, {\"a\": true}], \"a\": \"\"}"),
            buffered(),
            by(generator -> generator
                    .writeStartObject()
                    .writeName(new SerializedString("b"))
                    .writeString(new SerializedString("text"))
                    .writePropertyId(7)
                    .writeString("a")
                    .writeName("a")
                    .writeString(new char[] {'a', 'b', 'c'}, 1, 1)
                    .writeNumberProperty("n", 7)
                    .writeNullProperty("o")
                    .writeEndObject()),
            by(generator -> generator
                    .writeStartArray(new Object(), 4)
                    .writeNumber((BigDecimal) null)
                    .writeNumber((BigInteger) null)
                    .writeString((String) null)
                    .writeEmbeddedObject(new byte[] {9})
                    .writeEndArray()));

    static final List<Object> PAYLOADS_THAT_ARE_READ = List.of(
            new FingerprinterTest.Raw("{\"b\":1,\"a\":[2]}"),
            List.of(new FingerprinterTest.Raw("1.50"), 2),
            element(generator -> generator.writeRawValue(" [1 , 2]")),
            element(generator -> generator.writeRawValue(" [1 , 2]", 0, 4).writeRaw("]")),
            element(generator -> generator.writeRawValue(new char[] {'1', '2'}, 0, 2)),
            element(generator -> generator.writeRawValue(new SerializedString("[]"))),
            element(generator ->
                    generator.writeNumber(1).writeRaw(",2").writeRaw('0').writeRaw(new char[] {'1'}, 0, 1)),
            element(generator -> generator.writeNumber(1).writeRaw("x,2", 1, 2).writeRaw(new SerializedString("1"))),
            element(generator -> generator.writeString(new StringReader("abc"), 3)),
            element(generator -> generator.writeNumber("12.50")),
            element(generator -> generator.writeBinary(Base64Variants.MIME, new byte[100], 0, 100)),
            element(generator -> generator.writeBinary(new ByteArrayInputStream(new byte[] {1, 2}), 2)),
            element(generator -> generator.writePOJO(new FingerprinterTest.Payment("a", 1, null))),
            element(generator -> generator.writeTree(MAPPER.readTree("{\"b\":1,\"a\":2}"))),
            element(generator -> generator.objectWriteContext().writeValue(generator, Map.of("a", 1))),
            by(generator -> generator
                    .writeStartObject()
                    .writePOJOProperty("b", List.of(1))
                    .writeRaw(",\"a\":2")
                    .writeEndObject()),
            by(generator -> generator.writeStartObject().writeName("left").writeStartArray()),
            by(generator -> generator
                    .writeStartObject()
                    .writeNumberProperty("a", 1)
                    .writeRaw(",\"b\":{\"c\":3")
                    .writeNumberProperty("a", 2)
                    .writeRaw("}")
                    .writeEndObject()),
            element(CanonicalGeneratorTest::writeWhereItIsFlushed),
            element(CanonicalGeneratorTest::writeAfterARefusal),
            element(generator -> generator.writeString((char[]) null, 0, 0)),
            by(generator -> generator.writeStartArray().close()),
            by(generator -> {}));

    static final List<Object> PAYLOADS_THAT_ARE_REFUSED = List.of(
            new FingerprinterTest.Raw("{\"a\":"),
            by(generator -> generator.writeNumber(1).writeNumber(2)),
            by(generator -> generator.writeNumber(1).writeRaw(" 2")),
            by(generator -> generator.writeStartObject().writeNumber(1)),
            by(generator -> generator.writeStartObject().writeName("a").writeName("b")),
            by(generator -> generator.writeStartObject().writeEndArray()),
            by(generator -> generator.writeStartArray().writeEndObject()),
            by(generator -> generator.writeName("a")),
            by(generator -> generator.writeStartObject().writeName("a").writeEndObject()),
            by(generator -> generator
                    .writeStartObject()
                    .writeNumberProperty("b", 1)
                    .writeName("a")
                    .writeEndObject()),
            Map.of(
                    "z",
                    by(generator -> generator
                            .writeStartObject()
                            .writeNumberProperty("a", 1)
                            .writeName("b")
                            .writeEndObject())),
            by(generator -> generator.writeEndObject()),
            by(generator -> generator.writeBinary(new byte[3], 1, 5)),
            by(generator -> generator
                    .configure(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN, true)
                    .writeNumber(new BigDecimal("1E+20000"))),
            by(generator -> generator
                    .writeStartObject()
                    .writePOJOProperty("a", 1)
                    .writeNumberProperty("a", 1)
                    .writeEndObject()),
            element(generator -> generator.writeEmbeddedObject(new Object())),
            Map.of("a", new FingerprinterTest.Cyclic()));

    @ParameterizedTest
    @FieldSource("PAYLOADS_THAT_ARE_NOT_READ")
    void whatIsMadeOfValuesHasTheSameFingerprint(Object payload) {
        assertThat(isUsableFor(payload)).isTrue();
        assertThat(fingerprinter.of(payload)).isEqualTo(reading.of(payload));
    }

    @ParameterizedTest
    @FieldSource("PAYLOADS_THAT_ARE_READ")
    void whatWritesJsonItselfIsReadAndHasTheSameFingerprint(Object payload) {
        assertThat(isUsableFor(payload)).isFalse();
        assertThat(fingerprinter.of(payload)).isEqualTo(reading.of(payload));
    }

    @ParameterizedTest
    @FieldSource("PAYLOADS_THAT_ARE_REFUSED")
    void whatIsRefusedIsRefused(Object payload) {
        assertThat(List.of(fingerprinter, reading))
                .allSatisfy(either -> assertThatThrownBy(() -> either.of(payload))
                        .isInstanceOf(PayloadNotFingerprintableException.class)
                        .hasMessageContaining("cannot be written as JSON"));
    }

    @Test
    void randomTreesHaveTheSameFingerprint() {
        Random seeds = new Random();
        for (int i = 0; i < TREES; i++) {
            long seed = seeds.nextLong();
            Random random = new Random(seed);
            List<Object> payload = new ArrayList<>(List.of(
                    new RandomJson(seed).tree(),
                    Double.longBitsToDouble(random.nextLong()),
                    Float.intBitsToFloat(random.nextInt()),
                    random.nextInt(10_000) / 1e3));

            assertThat(isUsableFor(payload)).isTrue();
            assertThat(fingerprinter.of(payload))
                    .as("new RandomJson(%sL): %s", seed, payload)
                    .isEqualTo(reading.of(payload));
        }
    }

    @Test
    void theEscapesOfASerializerCount() {
        assertThat(fingerprinter.of(by(
                        generator -> generator.setCharacterEscapes(new Angles()).writeString("a<b"))))
                .isEqualTo(fingerprinter.of("a&lt;b"));
    }

    @Test
    void aMapperThatWritesValuesInAnotherWayIsRead() {
        assertThat(StandardJson.of(MAPPER)).isNotNull();
        assertThat(StandardJson.of(READ)).isNull();
        assertThat(StandardJson.of(with(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS, true)))
                .isNull();
        assertThat(StandardJson.of(with(JsonWriteFeature.QUOTE_PROPERTY_NAMES, false)))
                .isNull();
        assertThat(StandardJson.of(with(JsonWriteFeature.WRITE_NAN_AS_STRINGS, false)))
                .isNull();
        assertThat(StandardJson.of(JsonMapper.builder()
                        .enable(StreamWriteFeature.STRICT_DUPLICATE_DETECTION)
                        .build()))
                .isNull();
        assertThat(StandardJson.of(JsonMapper.builder()
                        .enable(StreamWriteFeature.WRITE_BIGDECIMAL_AS_PLAIN)
                        .build()))
                .isNull();
        assertThat(StandardJson.of(JsonMapper.builder()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .build()))
                .isNull();
        assertThat(StandardJson.of(
                        new JsonMapper(JsonFactory.builder().quoteChar('\'').build())))
                .isNull();
        assertThat(StandardJson.of(new JsonMapper(
                        JsonFactory.builder().outputDecorator(new Hiding()).build())))
                .isNull();
        assertThat(StandardJson.of(new JsonMapper(new Binary()))).isNull();
        assertThat(new Fingerprinter(with(JsonWriteFeature.WRITE_NUMBERS_AS_STRINGS, true)).of(1))
                .isEqualTo(fingerprinter.of("1"));
    }

    private static JsonMapper with(JsonWriteFeature feature, boolean state) {
        return JsonMapper.builder().configure(feature, state).build();
    }

    private static boolean isUsableFor(Object payload) {
        StandardJson standard =
                StandardJson.of(MAPPER.rebuild().addModule(new PayloadModule()).build());
        assertThat(standard).isNotNull();
        CanonicalGenerator generator = new CanonicalGenerator(standard, new CanonicalText(new byte[8]));
        try {
            standard.mapper().writeValue(generator, payload);
        } catch (RuntimeException refused) {
            return false;
        }
        return generator.isUsable();
    }

    private static void writeWhereItIsFlushed(JsonGenerator generator) {
        try {
            ((Writer) generator.streamWriteOutputTarget()).flush();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        generator.writeNumber(1);
    }

    private static void writeAfterARefusal(JsonGenerator generator) {
        try {
            generator.writeEndObject();
        } catch (StreamWriteException refused) {
            generator.writeNumber(1);
        }
    }

    private static TokenBuffer buffered() {
        return (TokenBuffer)
                TokenBuffer.forGeneration().writeStartArray().writeNumber(1.25).writeEndArray();
    }

    private static Written by(Writing writing) {
        return new Written(writing);
    }

    /** Between two others. */
    private static Written element(Writing writing) {
        return new Written(generator -> {
            generator.writeStartArray().writeNumber(1);
            writing.writeTo(generator);
            generator.writeNumber(2).writeEndArray();
        });
    }

    record Dated(
            @JsonFormat(shape = JsonFormat.Shape.STRING) Instant at) {}

    @FunctionalInterface
    private interface Writing {

        void writeTo(JsonGenerator generator);
    }

    /** As somebody's own serializer writes it. */
    private record Written(Writing writing) implements JacksonSerializable {

        @Override
        public void serialize(JsonGenerator generator, SerializationContext context) {
            writing.writeTo(generator);
        }

        @Override
        public void serializeWithType(
                JsonGenerator generator, SerializationContext context, TypeSerializer typeSerializer) {
            writing.writeTo(generator);
        }
    }

    private static final class Angles extends CharacterEscapes {

        @Override
        public int[] getEscapeCodesForAscii() {
            int[] codes = standardAsciiEscapesForJSON();
            codes['<'] = ESCAPE_CUSTOM;
            return codes;
        }

        @Override
        public SerializableString getEscapeSequence(int character) {
            return new SerializedString("&lt;");
        }
    }

    private static final class Hiding extends OutputDecorator {

        @Override
        public OutputStream decorate(IOContext context, OutputStream output) {
            return output;
        }

        @Override
        public Writer decorate(IOContext context, Writer output) {
            return new FilterWriter(output) {};
        }
    }

    private static final class Binary extends JsonFactory {

        @Override
        public JsonGenerator createGenerator(ObjectWriteContext context, Writer output) {
            throw new UnsupportedOperationException("Not text");
        }
    }
}
