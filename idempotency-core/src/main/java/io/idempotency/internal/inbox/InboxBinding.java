package io.idempotency.internal.inbox;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.ConflictPolicy;
import io.idempotency.DatabaseResolver;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.internal.call.CallBinder;
import io.idempotency.internal.call.IdempotentCall;
import io.idempotency.internal.call.LocalKey;
import io.idempotency.internal.call.UnboundCall;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.MessageAttributes;
import io.idempotency.internal.operation.RetentionPolicy;
import io.idempotency.messaging.DeliveryObserver;
import io.idempotency.messaging.MessagingListener;

/**
 * Computes id, payload and stream position of a message, once for each delivery, so that its handling is a call whose key is
 * claimed in the inbox. It is to messages what {@link io.idempotency.internal.call.CallBinding} is to requests.
 */
public final class InboxBinding implements CallBinder {

    private final InboxStore store;

    private final DatabaseResolver databaseResolver;

    private final Fingerprinter fingerprinter;

    private final RetentionPolicy retention;

    private final MessagingListener listener;

    private final DeliveryObserver observer;

    /**
     * Creates the binding.
     *
     * @param observer is told of the start and the end of every delivery; throws nothing
     */
    public InboxBinding(
            InboxStore store,
            DatabaseResolver databaseResolver,
            Fingerprinter fingerprinter,
            RetentionPolicy retention,
            MessagingListener listener,
            DeliveryObserver observer) {
        this.store = store;
        this.databaseResolver = databaseResolver;
        this.fingerprinter = fingerprinter;
        this.retention = retention;
        this.listener = listener;
        this.observer = observer;
    }

    @Override
    public UnboundCall prepare(IdempotentOperation operation, Object target, @Nullable Object[] arguments) {
        MessageAttributes attributes = Objects.requireNonNull(operation.message());
        return prepare(operation.scope(), results -> bind(operation, attributes, target, arguments, results));
    }

    /** Prepares a delivery that is handled by other code. */
    UnboundCall prepare(String consumer, @Nullable String messageId) {
        return prepare(consumer, results -> bind(consumer, messageId, results));
    }

    /** The binder gets a callback for the inbox result of each attempt. */
    private UnboundCall prepare(String consumer, Function<Consumer<InboxResult>, IdempotentCall> binder) {
        MessageOutcomePublisher publisher =
                new MessageOutcomePublisher(listener, consumer, observer.deliveryStarted(consumer));
        return new UnboundCall(publisher, () -> binder.apply(publisher::received));
    }

    private IdempotentCall bind(
            IdempotentOperation operation,
            MessageAttributes attributes,
            Object target,
            @Nullable Object[] arguments,
            Consumer<InboxResult> onResult) {
        String consumer = operation.scope();
        IdempotencyKey id = operation.key(target, arguments);
        InboxMessage message = new InboxMessage(
                consumer,
                id.value(),
                attributes.payload(target, arguments, fingerprinter),
                attributes.type(target, arguments),
                attributes.position(consumer, target, arguments),
                operation.options().retention());
        return bind(message, id, operation.options(), attributes.onConflict(), onResult);
    }

    private IdempotentCall bind(String consumer, @Nullable String messageId, Consumer<InboxResult> onResult) {
        IdempotencyKey id = requireId(consumer, messageId);
        InboxMessage message = new InboxMessage(consumer, id.value(), null, null, null, retention(consumer));
        return bind(message, id, retention.defaults(), ConflictPolicy.REFUSE, onResult);
    }

    private IdempotentCall bind(
            InboxMessage message,
            IdempotencyKey id,
            CallOptions options,
            ConflictPolicy onConflict,
            Consumer<InboxResult> onResult) {
        Intent intent = new Intent(message.consumer(), "", id);
        return new IdempotentCall(
                // The fingerprint of null if payloads are not compared.
                RequestKey.ofMessage(intent, message.payload() == null ? fingerprinter.of(null) : message.payload()),
                databaseResolver.resolveDatabase(),
                options.withRetention(message.retention()),
                // The result is not stored.
                void.class,
                null,
                true,
                new InboxKeyClaimer(store, message, onConflict, onResult),
                null,
                null);
    }

    /** Returns the key of a message of a consumer in the database that this thread works on. */
    LocalKey localKey(Intent message) {
        return new LocalKey(RequestKey.idOfMessage(message), databaseResolver.resolveDatabase());
    }

    /** Returns how long a message that a consumer has handled is kept by default. */
    Duration retention(String consumer) {
        return retention.ofConsumer(consumer, null);
    }

    static IdempotencyKey requireId(String consumer, @Nullable String messageId) {
        if (messageId == null) {
            throw new MissingIdempotencyKeyException("A message for the consumer '" + consumer
                    + "' has no id: it needs one that stays the same through all deliveries");
        }
        IdempotencyKey.findProblem(messageId).ifPresent(problem -> {
            throw new InvalidIdempotencyKeyException(
                    "The id of a message for the consumer '" + consumer + "' " + problem);
        });
        return new IdempotencyKey(messageId);
    }
}
