package io.idempotency.internal.response;

import java.lang.reflect.Type;
import java.nio.charset.CharacterCodingException;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ConcurrentReferenceHashMap;
import tools.jackson.core.StreamReadConstraints;

import io.idempotency.ArgumentNotStorableException;
import io.idempotency.Intent;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.internal.fingerprint.JsonFailures;
import io.idempotency.internal.response.ReplayComparison.Difference;

/**
 * A converter between responses and their stored text, which refuses responses that would not be read back unchanged.
 */
public final class ResponseMapper {

    /** The body of a response that is {@code null}, and of a call that has none. */
    public static final String NULL_BODY = "null";

    /** A body with a number that is too long for Jackson is longer than this. */
    private static final int SHORT_BODY = StreamReadConstraints.DEFAULT_MAX_NUM_LEN;

    private final List<ResponseCodec> codecs;

    private final long maxBytes;

    private final boolean verifyEach;

    private final ClosedTypes closedTypes = new ClosedTypes();

    /** Soft references; if entries are cleared, their responses are compared again. */
    private final Map<VerifiedResponse, Boolean> verified = new ConcurrentReferenceHashMap<>();

    /**
     * Creates the mapper.
     *
     * @param codecs codecs in their order; one of them must support every type
     * @param maxBytes size of the largest body, in bytes of UTF-8
     * @param verifyEach whether every response is read back and refused if a replay would differ; if not, only the
     *     first one of each scope is, provided that its type is closed and it is short
     */
    public ResponseMapper(List<ResponseCodec> codecs, long maxBytes, boolean verifyEach) {
        this.codecs = List.copyOf(codecs);
        this.maxBytes = maxBytes;
        this.verifyEach = verifyEach;
    }

    /**
     * Checks whether responses of a type can be stored, as far as the type alone decides.
     *
     * @throws io.idempotency.IdempotencyStartupException if they cannot
     */
    public void requireStorable(Type type) {
        codecFor(type).requireStorable(type);
    }

    /** {@return the size of the largest response, in bytes of UTF-8} */
    public long maxBytes() {
        return maxBytes;
    }

    /**
     * Returns whether a response asks for the request to be repeated, so that it must not be stored.
     *
     * @return {@code true} if its codec says so
     */
    public boolean asksForRepeat(@Nullable Object response, Type type) {
        return response != null && codecFor(type).asksForRepeat(response);
    }

    /**
     * Writes a response.
     *
     * @param lossy whether the response may lose something; it must be readable in any case
     * @throws ResponseNotStorableException if it cannot be written, is too large, or would not be read back unchanged
     */
    public String write(Intent intent, @Nullable Object response, Type type, boolean lossy) {
        return write(
                intent,
                response,
                type,
                lossy,
                "a replay would differ from the first answer",
                (problem, advice, cause) -> new ResponseNotStorableException(intent, problem + advice, cause));
    }

    /**
     * Writes the result of a step, which its method goes on with when it is run again.
     *
     * @throws ResponseNotStorableException if it cannot be written, is too large, or would not be read back unchanged
     */
    public String writeStep(Intent intent, String step, @Nullable Object result, Type type) {
        return write(
                intent,
                result,
                type,
                false,
                "the method would go on with another result",
                (problem, adviceForResponses, cause) -> new ResponseNotStorableException(
                        intent,
                        "in its step '" + step + "', " + problem
                                + ". Let the step return a record of what the method needs",
                        cause));
    }

    /**
     * Writes an argument of a call that is to be resumed.
     *
     * @throws ArgumentNotStorableException if it cannot be written, is too large, or would not be read back unchanged
     */
    public String writeArgument(Intent intent, @Nullable Object argument, Type type, String parameter) {
        return write(
                intent,
                argument,
                type,
                false,
                "a resumed call would get another one, which differs",
                (problem, adviceForResponses, cause) ->
                        new ArgumentNotStorableException(intent, parameter, problem, cause));
    }

    private String write(
            Intent intent,
            @Nullable Object value,
            Type type,
            boolean lossy,
            String difference,
            NotStorable notStorable) {
        ResponseCodec codec = codecFor(type);
        String body = encode(codec, value, type, notStorable);
        requireStorable(body, notStorable);
        VerifiedResponse key =
                new VerifiedResponse(intent.scope(), type, value == null ? Void.class : value.getClass());
        if (verifyEach || body.length() > SHORT_BODY || !verified.containsKey(key)) {
            Object replayed = readBack(codec, body, type, notStorable);
            if (!lossy) {
                requireSame(codec, value, replayed, difference, notStorable);
            }
            if (closedTypes.include(type, codec)) {
                verified.put(key, true);
            }
        }
        return body;
    }

    /**
     * Reads a stored response.
     *
     * @throws UnreadableResponseException if the text cannot be read as the type
     */
    public @Nullable Object read(Intent intent, String body, Type type) {
        return read(intent, body, type, codecFor(type)::decode);
    }

    /**
     * Reads a stored argument or the result of a step, with which the code goes on, so that it must be read as it was. The
     * application's own codecs decide themselves what they read.
     *
     * @throws UnreadableResponseException if the text cannot be read as the type, or would not be written as it is by the type
     */
    public @Nullable Object readUnchanged(Intent intent, String body, Type type) {
        ResponseCodec codec = codecFor(type);
        return read(intent, body, type, codec instanceof UnchangedCodec own ? own::decodeUnchanged : codec::decode);
    }

    private static @Nullable Object read(
            Intent intent, String body, Type type, BiFunction<String, Type, @Nullable Object> decoder) {
        try {
            return decoder.apply(body, type);
        } catch (RuntimeException unreadable) {
            throw new UnreadableResponseException(intent, type.getTypeName(), JsonFailures.withoutValues(unreadable));
        }
    }

    private ResponseCodec codecFor(Type type) {
        for (ResponseCodec codec : codecs) {
            if (codec.supports(type)) {
                return codec;
            }
        }
        throw new IllegalStateException("No response codec supports " + type.getTypeName());
    }

    private static String encode(ResponseCodec codec, @Nullable Object value, Type type, NotStorable notStorable) {
        try {
            return codec.encode(value, type);
        } catch (UnstorableValueException unstorable) {
            throw notStorable.because(String.valueOf(unstorable.getMessage()), "", null);
        } catch (RuntimeException | StackOverflowError notWritable) {
            throw notStorable.because(
                    "it cannot be written as JSON of " + type.getTypeName(),
                    ": return data that does not lead back to itself, such as a record of what the caller needs",
                    JsonFailures.withoutValues(notWritable));
        }
    }

    private void requireStorable(String body, NotStorable notStorable) {
        int bytes;
        try {
            bytes = StorableText.bytesOf(body);
        } catch (CharacterCodingException loneSurrogate) {
            throw notStorable.because(
                    "it contains half of a surrogate pair, which UTF-8 cannot carry", "", loneSurrogate);
        }
        if (bytes > maxBytes) {
            throw notStorable.because(
                    "it has " + bytes + " bytes, more than idempotency.max-response-size = " + maxBytes,
                    ": return a reference to what was made, or raise the limit",
                    null);
        }
    }

    private static @Nullable Object readBack(ResponseCodec codec, String body, Type type, NotStorable notStorable) {
        try {
            return codec.decode(body, type);
        } catch (RuntimeException | StackOverflowError unreadable) {
            throw notStorable.because(
                    "its JSON cannot be read back as " + type.getTypeName(),
                    ": declare a class that Jackson can make from its JSON, such as a record, and"
                            + " @JsonTypeInfo where a member is one of several classes",
                    JsonFailures.withoutValues(unreadable));
        }
    }

    private static void requireSame(
            ResponseCodec codec,
            @Nullable Object value,
            @Nullable Object replayed,
            String difference,
            NotStorable notStorable) {
        Difference found = ReplayComparison.differenceOf(observable(codec, value), observable(codec, replayed));
        if (found != null) {
            throw notStorable.because(
                    difference + " at " + found.path() + ", " + found.reason(),
                    ". Let JSON carry it: a component of a record or a property with getter and setter,"
                            + " without @JsonIgnore, declared by its own class and not as Object or a superclass."
                            + " If responses are meant to lose it, say so with lossyResponse = true in @Idempotent, or"
                            + " lossyResponse() where the call is made by IdempotencyOperations",
                    null);
        }
    }

    private static @Nullable Object observable(ResponseCodec codec, @Nullable Object response) {
        return response == null ? null : codec.observable(response);
    }

    /** Makes the exception for a value that cannot be stored. */
    @FunctionalInterface
    private interface NotStorable {

        RuntimeException because(String problem, String adviceForResponses, @Nullable Throwable cause);
    }

    /** The key of the responses of which one was verified, with the class, because a subclass may have further fields. */
    private record VerifiedResponse(String scope, Type type, Class<?> responseClass) {}
}
