package io.idempotency.internal.inbox;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

import io.idempotency.DatabaseResolver;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.inbox.ConflictPolicy;
import io.idempotency.internal.call.CallBinder;
import io.idempotency.internal.call.attempt.IdempotentCall;
import io.idempotency.internal.call.attempt.KeyOwnership.LocalKey;
import io.idempotency.internal.call.attempt.OutcomePublisher;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.IdempotentOperation;
import io.idempotency.internal.operation.OperationKind;
import io.idempotency.internal.ownership.NameOwners;
import io.idempotency.messaging.DeliveryObserver;
import io.idempotency.messaging.MessagingListener;

/**
 * Computes id, payload and stream position of a message, once for each delivery, so that its handling is a call whose key is
 * claimed in the inbox. It is to messages what {@link io.idempotency.internal.call.CallBinding} is to requests.
 */
public final class InboxBinding implements CallBinder {

    /** Distinguishes a message from a request of equal names. */
    private static final String NAMESPACE = "message";

    private final InboxStore store;

    private final DatabaseResolver databaseResolver;

    private final NameOwners owners;

    private final Fingerprinter fingerprinter;

    private final MessageRetention retention;

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
            NameOwners owners,
            Fingerprinter fingerprinter,
            MessageRetention retention,
            MessagingListener listener,
            DeliveryObserver observer) {
        this.store = store;
        this.databaseResolver = databaseResolver;
        this.owners = owners;
        this.fingerprinter = fingerprinter;
        this.retention = retention;
        this.listener = listener;
        this.observer = observer;
    }

    @Override
    public OperationKind kind() {
        return ReceiverOperation.KIND;
    }

    @Override
    public OutcomePublisher begin(String consumer) {
        return new MessageOutcomePublisher(listener, consumer, observer.deliveryStarted(consumer));
    }

    @Override
    public IdempotentCall bind(IdempotentOperation operation, Object target, @Nullable Object[] arguments) {
        ReceiverOperation receiver = (ReceiverOperation) operation;
        String consumer = receiver.scope();
        MessageAttributes attributes = receiver.message();
        IdempotencyKey id = receiver.messageId(target, arguments);
        InboxMessage message = new InboxMessage(
                consumer,
                id.value(),
                attributes.payload(target, arguments, fingerprinter),
                attributes.type(target, arguments),
                attributes.position(consumer, target, arguments),
                receiver.options().retention().ofKey());
        return bind(message, id, receiver.options(), attributes.onConflict());
    }

    /** Binds a delivery that is handled by other code. */
    IdempotentCall bind(String consumer, @Nullable String messageId) {
        IdempotencyKey id = requireId(consumer, messageId);
        InboxMessage message = new InboxMessage(consumer, id.value(), null, null, null, retention(consumer));
        return bind(message, id, retention.defaults(), ConflictPolicy.REFUSE);
    }

    private IdempotentCall bind(
            InboxMessage message, IdempotencyKey id, CallOptions options, ConflictPolicy onConflict) {
        Intent intent = new Intent(message.consumer(), "", id);
        return new IdempotentCall(
                // The fingerprint of null if payloads are not compared.
                RequestKey.of(
                        intent, message.payload() == null ? fingerprinter.of(null) : message.payload(), NAMESPACE),
                databaseOf(message.consumer()),
                options.withRetention(message.retention()),
                execution -> new InboxAttempt(execution, store, message, onConflict));
    }

    /** Requires that the consumer belongs to this application in the database on which this thread works. */
    Object databaseOf(String consumer) {
        Object database = databaseResolver.resolveDatabase();
        owners.require(database, ReceiverOperation.KIND.scopeName(), consumer);
        return database;
    }

    /** Returns the key of a message of a consumer in the database that this thread works on. */
    LocalKey localKey(Intent message) {
        return new LocalKey(RequestKey.idOf(message, NAMESPACE), databaseResolver.resolveDatabase());
    }

    /** Returns how long a message that a consumer has handled is kept by default. */
    Duration retention(String consumer) {
        return retention.ofConsumer(consumer, null);
    }

    static IdempotencyKey requireId(String consumer, @Nullable String messageId) {
        if (messageId == null) {
            throw new MissingIdempotencyKeyException(
                    "A message for the consumer '" + consumer
                            + "' has no id: it needs one that stays the same through all deliveries",
                    MessageValues.ID);
        }
        IdempotencyKey.findProblem(messageId).ifPresent(problem -> {
            throw new InvalidIdempotencyKeyException(
                    "The id of a message for the consumer '" + consumer + "' " + problem, MessageValues.ID, null);
        });
        return new IdempotencyKey(messageId);
    }
}
