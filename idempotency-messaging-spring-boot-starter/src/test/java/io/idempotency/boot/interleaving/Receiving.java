package io.idempotency.boot.interleaving;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.stream.LongStream;

import io.idempotency.boot.interleaving.Receivers.Message;
import io.idempotency.boot.interleaving.Receivers.NotHandledException;
import io.idempotency.inbox.MessageGapException;
import io.idempotency.inbox.Redelivery;

/** What brokers deliver, and to which receivers. */
@SuppressWarnings("ImmutableEnumChecker") // Its functions have no state.
enum Receiving {
    EACH(Receiving::same, (receivers, messages) -> receivers.each(messages.get(0))),

    /** The first delivery of one broker fails. */
    EACH_AFTER_A_FAILURE(
            (stream, broker) -> broker == 0 ? List.of(message(stream, 1).failing()) : same(stream, broker),
            (receivers, messages) -> receivers.each(messages.get(0))),

    EACH_WITH_OTHER_PAYLOADS(
            (stream, broker) -> List.of(Message.of(stream, 1, 5 + broker % 2)),
            (receivers, messages) -> receivers.each(messages.get(0))),

    ONCE(Receiving::same, (receivers, messages) -> receivers.once(messages.get(0))),

    ONCE_IN_TRANSACTION(Receiving::same, (receivers, messages) -> receivers.onceInTransaction(messages.get(0))),

    BATCH(Receiving::overlapping, Receivers::batch),

    /** The first message of one broker fails at its first delivery, so that the second one is not handled. */
    BATCH_AFTER_A_FAILURE(
            (stream, broker) -> broker == 0
                    ? List.of(message(stream, 1).failing(), message(stream, 2))
                    : overlapping(stream, broker),
            Receivers::batch),
    CARELESS_BATCH(Receiving::overlapping, Receivers::carelessBatch),

    NEWEST(Receiving::successive, (receivers, messages) -> receivers.newest(messages.get(0))),

    IN_ORDER(Receiving::successive, (receivers, messages) -> receivers.inOrder(messages.get(0)));

    /** More than the faults of a run, and the failures that they cause. */
    private static final int MOST_DELIVERIES = 6;

    private final BiFunction<String, Integer, List<Message>> messages;

    private final BiConsumer<Receivers, List<Message>> receiver;

    Receiving(BiFunction<String, Integer, List<Message>> messages, BiConsumer<Receivers, List<Message>> receiver) {
        this.messages = messages;
        this.receiver = receiver;
    }

    private static Message message(String stream, long version) {
        return Message.of(stream, version, 5);
    }

    private static List<Message> same(String stream, int broker) {
        return List.of(message(stream, 1));
    }

    private static List<Message> successive(String stream, int broker) {
        return List.of(message(stream, broker + 1));
    }

    /** Each broker has one that the next one has too, and the second one has them in another order. */
    private static List<Message> overlapping(String stream, int broker) {
        return switch (broker) {
            case 0 -> List.of(message(stream, 1), message(stream, 2));
            case 1 -> List.of(message(stream, 2), message(stream, 1));
            default -> List.of(message(stream, broker + 1), message(stream, 2));
        };
    }

    /** Returns what a broker delivers. */
    List<Message> messages(String stream, int broker) {
        return messages.apply(stream, broker);
    }

    /**
     * Delivers as a broker does.
     *
     * @param holdsBack whether a message that came too early is kept for later
     */
    Delivered deliver(Receivers receivers, List<Message> delivered, boolean holdsBack) {
        return Delivered.of(
                MOST_DELIVERIES,
                failure -> Redelivery.isWorthwhile(failure) && !(holdsBack && failure instanceof MessageGapException),
                number -> receive(
                        receivers,
                        number == 1
                                ? delivered
                                : delivered.stream().map(Message::succeeding).toList()));
    }

    void receive(Receivers receivers, List<Message> delivered) {
        receiver.accept(receivers, delivered);
    }

    /** Returns whether a receiver has its own transaction, which is repeated, so that its broker does not notice. */
    boolean repeatsItself() {
        return this != ONCE_IN_TRANSACTION && this != BATCH && this != BATCH_AFTER_A_FAILURE && this != CARELESS_BATCH;
    }

    /** Returns whether a delivery may fail so in any run. */
    boolean mayFailWith(Throwable failure) {
        return ((this == EACH_AFTER_A_FAILURE || this == BATCH_AFTER_A_FAILURE)
                        && failure instanceof NotHandledException)
                || (this == IN_ORDER && failure instanceof MessageGapException);
    }

    /** Returns whether a message with a version needs no effect any more. */
    boolean isOutdated(long version, List<Long> handled) {
        return this == NEWEST && handled.stream().anyMatch(later -> later > version);
    }

    /**
     * Returns whether these versions had to be handled, in this order.
     *
     * @param handled the versions
     * @param last the last version; the first one is 1
     */
    boolean isComplete(List<Long> handled, long last) {
        List<Long> ascending = handled.stream().distinct().sorted().toList();
        List<Long> all = LongStream.rangeClosed(1, last).boxed().toList();
        return switch (this) {
            case NEWEST -> handled.equals(ascending) && handled.contains(last);
            case IN_ORDER -> handled.equals(all);
            default -> ascending.equals(all) && handled.size() == all.size();
        };
    }
}
