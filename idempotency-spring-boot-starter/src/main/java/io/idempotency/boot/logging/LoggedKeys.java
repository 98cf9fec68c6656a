package io.idempotency.boot.logging;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.internal.claim.RequestId;

/** Puts keys, callers and message ids into lines in the way that the application wants. */
record LoggedKeys(KeyDisplay display) {

    /**
     * Adds the key of a call, and its caller.
     *
     * @param intent {@code null} if it could not be told
     * @return what the text says of it, with a blank behind; may be empty
     */
    String addCall(LogLine line, @Nullable Intent intent) {
        if (intent == null) {
            return "";
        }
        return switch (display) {
            case SHOWN -> {
                line.add("key", intent.key().value())
                        .add("caller", intent.caller().isEmpty() ? null : intent.caller());
                yield intent.key().value() + ' ';
            }
            case HASHED -> addHash(line, "key_hash", intent);
            case OMITTED -> "";
        };
    }

    /**
     * Adds the id of a message.
     *
     * @param messageId {@code null} if it could not be told
     * @return what the text says of it, with a blank behind; may be empty
     */
    String addMessage(LogLine line, String consumer, @Nullable String messageId) {
        if (messageId == null) {
            return "";
        }
        return switch (display) {
            case SHOWN -> {
                line.add("message_id", messageId);
                yield messageId + ' ';
            }
            case HASHED -> addHash(line, "message_id_hash", new Intent(consumer, "", new IdempotencyKey(messageId)));
            case OMITTED -> "";
        };
    }

    private static String addHash(LogLine line, String name, Intent intent) {
        String hash = RequestId.of(intent).toString();
        line.add(name, hash);
        // A key of a client is often such a UUID itself.
        return "hash:" + hash + ' ';
    }
}
