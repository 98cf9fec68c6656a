package io.idempotency.boot.web;

import java.io.StringWriter;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ResponseEntity;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.internal.response.UnchangedCodec;
import io.idempotency.internal.response.UnstorableValueException;

/**
 * The codec of a ResponseEntity or HttpEntity: its status, the headers that may be replayed and its body. The body is
 * stored last, as the codec of its type wrote it, so that this codec gets it back unchanged.
 */
final class ResponseEntityCodec implements UnchangedCodec {

    private static final String STATUS = "status";

    private static final String HEADERS = "headers";

    private static final String BODY = "body";

    private final JsonFactory json = new JsonFactory();

    private final TreeSet<String> replayedHeaders = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    private final Set<Integer> retryStatuses;

    private final Function<Type, ResponseCodec> codecOfBody;

    /**
     * Creates the codec.
     *
     * @param codecOfBody returns the codec of a body of that type
     */
    ResponseEntityCodec(
            List<String> replayedHeaders, Set<Integer> retryStatuses, Function<Type, ResponseCodec> codecOfBody) {
        this.replayedHeaders.addAll(replayedHeaders);
        this.retryStatuses = Set.copyOf(retryStatuses);
        this.codecOfBody = codecOfBody;
    }

    @Override
    public boolean supports(Type type) {
        Class<?> raw = ResolvableType.forType(type).resolve();
        return raw == ResponseEntity.class || raw == HttpEntity.class;
    }

    @Override
    public String encode(@Nullable Object response, Type type) {
        if (response == null) {
            return "null";
        }
        HttpEntity<?> entity = (HttpEntity<?>) response;
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = json.createGenerator(ObjectWriteContext.empty(), text)) {
            generator.writeStartObject();
            if (entity instanceof ResponseEntity<?> answer) {
                generator.writeNumberProperty(STATUS, answer.getStatusCode().value());
            }
            generator.writeName(HEADERS);
            writeHeaders(generator, entity.getHeaders());
            Object body = entity.getBody();
            if (body != null) {
                generator.writeName(BODY);
                Type bodyType = bodyTypeOf(type);
                generator.writeRawValue(codecOfBody.apply(bodyType).encode(body, bodyType));
            }
            generator.writeEndObject();
        }
        return text.toString();
    }

    /** Shows the stored headers only: other headers belong to one connection, one moment or one client. */
    @Override
    public Object observable(Object response) {
        HttpEntity<?> entity = (HttpEntity<?>) response;
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        if (entity instanceof ResponseEntity<?> answer) {
            shown.put(STATUS, answer.getStatusCode().value());
        }
        Map<String, List<String>> headers = new LinkedHashMap<>();
        replayedHeaders.forEach(name -> headers.put(name, entity.getHeaders().getOrEmpty(name)));
        shown.put(HEADERS, headers);
        Object body = entity.getBody();
        shown.put(BODY, body);
        return shown;
    }

    @Override
    public boolean asksForRepeat(Object response) {
        return response instanceof ResponseEntity<?> answer
                && retryStatuses.contains(answer.getStatusCode().value());
    }

    @Override
    public void requireStorable(Type type) {
        Type body = bodyTypeOf(type);
        try {
            codecOfBody.apply(body).requireStorable(body);
        } catch (IdempotencyStartupException unstorable) {
            throw new IdempotencyStartupException(
                    "an answer with a body of type " + unstorable.problem(), unstorable.action(), unstorable);
        }
    }

    private void writeHeaders(JsonGenerator generator, HttpHeaders headers) {
        generator.writeStartObject();
        for (String name : replayedHeaders) {
            List<String> values = headers.getOrEmpty(name);
            if (!values.isEmpty()) {
                generator.writeArrayPropertyStart(name);
                values.forEach(value -> generator.writeString(requireHeader(name, value)));
                generator.writeEndArray();
            }
        }
        generator.writeEndObject();
    }

    private static String requireHeader(String name, String value) {
        if (value.chars().anyMatch(character -> Character.isISOControl(character) && character != '\t')) {
            throw new UnstorableValueException("the value of its header " + name
                    + " has a control character, such as a line break, which no server sends: encode it");
        }
        return value;
    }

    @Override
    public @Nullable Object decode(String text, Type type) {
        return decode(text, type, ResponseCodec::decode);
    }

    @Override
    public @Nullable Object decodeUnchanged(String text, Type type) {
        return decode(
                text,
                type,
                (codec, body, bodyType) -> codec instanceof UnchangedCodec own
                        ? own.decodeUnchanged(body, bodyType)
                        : codec.decode(body, bodyType));
    }

    private @Nullable Object decode(String text, Type type, BodyReader reader) {
        if (text.equals("null")) {
            return null;
        }
        int status = 0;
        boolean isAnswer = false;
        HttpHeaders headers = new HttpHeaders();
        try (JsonParser parser = json.createParser(ObjectReadContext.empty(), text)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                switch (name) {
                    case STATUS -> status = parser.getIntValue();
                    case HEADERS -> {
                        readHeaders(parser, headers);
                        isAnswer = true;
                    }
                    case BODY -> {
                        int start = (int) parser.currentTokenLocation().getCharOffset();
                        Object body = decodeBody(text.substring(start, text.lastIndexOf('}')), type, reader);
                        return answer(status, headers, body);
                    }
                    default -> throw new IllegalArgumentException("An answer has no member '" + name + "'");
                }
            }
        }
        if (!isAnswer) {
            throw new IllegalArgumentException("It was not stored as an answer with status, headers and body");
        }
        return answer(status, headers, null);
    }

    private static HttpEntity<?> answer(int status, HttpHeaders headers, @Nullable Object body) {
        return status == 0
                ? new HttpEntity<>(body, headers)
                : new ResponseEntity<>(body, headers, HttpStatusCode.valueOf(status));
    }

    private static void readHeaders(JsonParser parser, HttpHeaders headers) {
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            List<String> values = new ArrayList<>(1);
            parser.nextToken();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                values.add(parser.getString());
            }
            headers.addAll(name, values);
        }
    }

    private @Nullable Object decodeBody(String text, Type type, BodyReader reader) {
        Type bodyType = bodyTypeOf(type);
        return reader.read(codecOfBody.apply(bodyType), text, bodyType);
    }

    private static Type bodyTypeOf(Type type) {
        Type body = ResolvableType.forType(type).getGeneric(0).getType();
        Type known = body instanceof WildcardType wildcard ? wildcard.getUpperBounds()[0] : body;
        if (ResolvableType.forType(known).resolve(Object.class) == Object.class) {
            throw new IllegalArgumentException(type.getTypeName()
                    + " does not name the type of its body, so it cannot be read back: declare the type");
        }
        return known;
    }

    @FunctionalInterface
    private interface BodyReader {

        @Nullable Object read(ResponseCodec codec, String body, Type type);
    }
}
