package io.idempotency.sample.cluster;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.FinalState.Message;
import io.idempotency.sample.cluster.FinalState.Receipt;
import io.idempotency.sample.cluster.Violation.Rule;

/** What was told of events. */
final class MessageRules {

    private final Violations violations;

    MessageRules(Violations violations) {
        this.violations = violations;
    }

    void check(FinalState state) {
        state.outbox()
                .forEach(message ->
                        violations.require(message.status().equals(Message.SENT), Rule.OUTBOX_IS_DRAINED, message));
        checkToldOnce(state, Message.EVENTS, event -> !event.isFirst());
        checkToldOnce(state, Message.PAYMENTS, Event::isPayment);
        checkContents(state);
    }

    private void checkToldOnce(FinalState state, String topic, Predicate<Event> isToBeTold) {
        Map<String, Long> changes = state.events().stream()
                .filter(isToBeTold)
                .collect(Collectors.groupingBy(Event::accountId, Collectors.counting()));
        Map<String, Long> told = state.outbox().stream()
                .filter(message -> message.topic().equals(topic))
                .collect(Collectors.groupingBy(Message::accountId, Collectors.counting()));
        Set<String> accounts = new TreeSet<>(changes.keySet());
        accounts.addAll(told.keySet());
        accounts.forEach(accountId -> violations.require(
                changes.getOrDefault(accountId, 0L).equals(told.getOrDefault(accountId, 0L)),
                Rule.EVENT_IS_TOLD_ONCE,
                accountId,
                changes.getOrDefault(accountId, 0L),
                told.getOrDefault(accountId, 0L),
                topic));
    }

    /** Hashes of the outbox and of receipts are made of different bytes, so they are compared apart. */
    private void checkContents(FinalState state) {
        Map<String, Set<String>> sent = new TreeMap<>();
        for (Message message : state.outbox()) {
            sent.computeIfAbsent(message.messageId(), id -> new HashSet<>()).add(message.content());
        }
        Map<String, Set<String>> received = new TreeMap<>();
        for (Receipt receipt : state.receipts()) {
            received.computeIfAbsent(receipt.messageId(), id -> new HashSet<>()).add(receipt.content());
        }
        sent.forEach(this::requireOne);
        received.forEach(this::requireOne);
    }

    private void requireOne(String messageId, Set<String> contents) {
        violations.require(contents.size() == 1, Rule.MESSAGE_HAS_ONE_CONTENT, messageId, contents);
    }
}
