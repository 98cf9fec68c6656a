package io.idempotency.codec;

import java.lang.reflect.Type;
import java.nio.charset.CharacterCodingException;
import java.util.List;

import org.jspecify.annotations.Nullable;

import io.idempotency.Intent;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.UnreadableResponseException;

/** Turns responses into what is stored and back, and refuses what would not come back as it was. */
public final class ResponseMapper {

    /** The body of a response that is {@code null}, and of a call that has none. */
    public static final String NULL_BODY = "null";

    private final List<ResponseCodec> codecs;

    private final long maxBytes;

    private final boolean verify;

    /**
     * Creates the mapper.
     *
     * @param codecs asked in this order; one of them must support every type
     * @param maxBytes the largest body, in bytes of UTF-8
     * @param verify whether to read back what was written and to refuse it if writing it again gives another text
     */
    public ResponseMapper(List<ResponseCodec> codecs, long maxBytes, boolean verify) {
        this.codecs = List.copyOf(codecs);
        this.maxBytes = maxBytes;
        this.verify = verify;
    }

    /**
     * Writes a response.
     *
     * @param intent the intent that it answers
     * @param response what the method returned
     * @param type the return type, type arguments included
     * @return JSON text that PostgreSQL can store
     * @throws ResponseNotStorableException if there is none, it is too large, or it would not come back as it was
     */
    public String write(Intent intent, @Nullable Object response, Type type) {
        ResponseCodec codec = codecFor(type);
        String body = encode(codec, intent, response, type);
        requireStorable(intent, body);
        if (verify) {
            requireFaithful(codec, intent, response, body, type);
        }
        return body;
    }

    /**
     * Reads a stored response.
     *
     * @param intent the intent that it answers
     * @param body the stored text
     * @param type the return type, type arguments included
     * @return the response
     * @throws UnreadableResponseException if the text cannot be read as the type
     */
    public @Nullable Object read(Intent intent, String body, Type type) {
        try {
            return codecFor(type).decode(body, type);
        } catch (RuntimeException unreadable) {
            throw new UnreadableResponseException(intent, type.getTypeName(), unreadable);
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

    private static String encode(ResponseCodec codec, Intent intent, @Nullable Object response, Type type) {
        try {
            return codec.encode(response, type);
        } catch (RuntimeException notWritable) {
            throw new ResponseNotStorableException(
                    intent, "it cannot be written as JSON of " + type.getTypeName(), notWritable);
        }
    }

    private void requireStorable(Intent intent, String body) {
        int bytes;
        try {
            bytes = Utf8.lengthOf(body);
        } catch (CharacterCodingException loneSurrogate) {
            throw new ResponseNotStorableException(
                    intent, "it contains half of a surrogate pair, which UTF-8 cannot carry", loneSurrogate);
        }
        if (bytes > maxBytes) {
            throw new ResponseNotStorableException(
                    intent,
                    "it has " + bytes + " bytes, more than idempotency.max-response-size = " + maxBytes
                            + ": return a reference to what was made, or raise the limit",
                    null);
        }
    }

    private static void requireFaithful(
            ResponseCodec codec, Intent intent, @Nullable Object response, String body, Type type) {
        boolean faithful;
        try {
            Object replayed = codec.decode(body, type);
            faithful = codec.encode(replayed, type).equals(body) && showTheSame(codec, response, replayed);
        } catch (RuntimeException unreadable) {
            throw new ResponseNotStorableException(
                    intent, "what was written cannot be read back as " + type.getTypeName(), unreadable);
        }
        if (!faithful) {
            throw new ResponseNotStorableException(
                    intent,
                    "read back as " + type.getTypeName() + " and written again it is another text, so a replay"
                            + " would differ from the first answer",
                    null);
        }
    }

    /** What a web layer would write of the two: a subtype has more to show than the declared type. */
    private static boolean showTheSame(ResponseCodec codec, @Nullable Object response, @Nullable Object replayed) {
        if (response == null || replayed == null) {
            return true;
        }
        Type type = codec.runtimeTypeOf(response);
        Type replayedType = codec.runtimeTypeOf(replayed);
        if (!codec.supports(type) || !codec.supports(replayedType)) {
            return true;
        }
        return codec.encode(response, type).equals(codec.encode(replayed, replayedType));
    }
}
