package io.idempotency.boot.logging;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.internal.claim.RequestKey;

/** The keys, callers and message ids in log lines, as set by {@code idempotency.logging.keys}. */
record LoggedKeys(KeyDisplay display) {

    /**
     * Adds the key of a call, and its caller.
     *
     * @param intent {@code null} if it is not known
     * @return its part of the text, with a trailing blank; may be empty
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
     * @param messageId {@code null} if it is not known
     * @return its part of the text, with a trailing blank; may be empty
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
        String hash = RequestKey.idOf(intent).toString();
        line.add(name, hash);
        // With a prefix, because a client's key is often such a UUID, too.
        return "hash:" + hash + ' ';
    }
}
