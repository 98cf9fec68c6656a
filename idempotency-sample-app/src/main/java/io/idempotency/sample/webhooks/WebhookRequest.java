package io.idempotency.sample.webhooks;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * A request as it came, before anything is believed.
 *
 * @param url that the sender used, query included
 * @param headers of the request
 * @param body the very bytes, because those were signed
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record WebhookRequest(String url, HttpHeaders headers, byte[] body) {

    /** The first value of a header. */
    public @Nullable String header(String name) {
        return headers.getFirst(name);
    }

    /**
     * The body as text.
     *
     * @throws InvalidSignatureException if it is not UTF-8: decoded loosely, different bytes would be the same text, and
     *     have the same signature
     */
    public String text() {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new InvalidSignatureException("The body is not UTF-8", e);
        }
    }
}
