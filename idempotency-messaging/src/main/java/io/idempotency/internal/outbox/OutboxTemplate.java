package io.idempotency.internal.outbox;

import java.nio.charset.CharacterCodingException;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.IdempotencyContext;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.internal.fingerprint.JsonFailures;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.response.StorableText;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** Records messages for application code, in its open transaction. */
public final class OutboxTemplate implements Outbox {

    private final OutboxStore store;

    private final Consumer<String> requireOwnTopic;

    private final OpenTransaction transaction;

    private final ResponseCodec codec;

    private final Lanes lanes;

    private final long maxPayloadBytes;

    private final Supplier<Map<String, String>> contextHeaders;

    /** A single object, because a transaction keeps equal synchronizations once, however many messages it publishes. */
    private final TransactionSynchronization wakeAfterCommit;

    /**
     * Creates the template.
     *
     * @param requireOwnTopic throws if a topic belongs to another application
     * @param maxPayloadBytes the largest payload, in bytes of UTF-8
     * @param contextHeaders returns headers of the context, such as a trace's; headers of the message override them
     * @param wake called after each commit that recorded messages, on the thread of the commit; must be quick
     */
    public OutboxTemplate(
            OutboxStore store,
            Consumer<String> requireOwnTopic,
            OpenTransaction transaction,
            ResponseCodec codec,
            Lanes lanes,
            long maxPayloadBytes,
            Supplier<Map<String, String>> contextHeaders,
            Runnable wake) {
        this.store = store;
        this.requireOwnTopic = requireOwnTopic;
        this.transaction = transaction;
        this.codec = codec;
        this.lanes = lanes;
        this.maxPayloadBytes = maxPayloadBytes;
        this.contextHeaders = contextHeaders;
        this.wakeAfterCommit = new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                wake.run();
            }
        };
    }

    @Override
    public UUID publish(OutboxMessage message) {
        NewMessage newMessage = new NewMessage(
                MessageId.at(Clock.systemUTC()),
                message,
                lanes.of(message.orderingKey()),
                write(message),
                headersOf(message),
                IdempotencyContext.find().map(IdempotencyContext::intent).orElse(null));
        UUID id = transaction.onConnection(connection -> {
            requireOwnTopic.accept(message.topic());
            return store.record(connection, newMessage);
        });
        TransactionSynchronizationManager.registerSynchronization(wakeAfterCommit);
        return id;
    }

    private Map<String, String> headersOf(OutboxMessage message) {
        Map<String, String> headers = new LinkedHashMap<>(contextHeaders.get());
        headers.putAll(message.headers());
        return headers;
    }

    private @Nullable String write(OutboxMessage message) {
        if (message.payload() == null) {
            return null;
        }
        String json = encode(message, message.payload());
        if (json.equals(ResponseMapper.NULL_BODY)) {
            throw new IllegalArgumentException("The payload of the message " + message
                    + " is written as null: if it is to have none, call withoutPayload()");
        }
        int bytes;
        try {
            bytes = StorableText.bytesOf(json);
        } catch (CharacterCodingException loneSurrogate) {
            throw new IllegalArgumentException(
                    "The payload of the message " + message
                            + " contains half of a surrogate pair, which UTF-8 cannot carry",
                    loneSurrogate);
        }
        if (bytes > maxPayloadBytes) {
            throw new IllegalArgumentException("The payload of the message " + message + " has " + bytes
                    + " bytes, more than idempotency.outbox.max-payload-size = " + maxPayloadBytes
                    + ": send a reference to the data, or raise the limit here and at the broker");
        }
        return json;
    }

    private String encode(OutboxMessage message, Object payload) {
        try {
            return codec.encode(payload, payload.getClass());
        } catch (RuntimeException notWritable) {
            Throwable safe = JsonFailures.withoutValues(notWritable);
            throw new IllegalArgumentException(
                    "The payload of the message " + message + " cannot be written as JSON: " + safe.getMessage(), safe);
        }
    }
}
