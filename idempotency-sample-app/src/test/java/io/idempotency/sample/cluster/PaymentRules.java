package io.idempotency.sample.cluster;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.FinalState.Notification;
import io.idempotency.sample.cluster.FinalState.Payment;
import io.idempotency.sample.cluster.Violation.Rule;

/** What comes with the event of a payment: its row at once, and a notification in the end. */
final class PaymentRules {

    private final Violations violations;

    PaymentRules(Violations violations) {
        this.violations = violations;
    }

    void check(FinalState state) {
        List<Event> paid = state.events().stream().filter(Event::isPayment).toList();
        requireOneEach(
                paid.stream().map(Payment::of),
                state.payments().stream(),
                Payment::paymentId,
                Rule.PAYMENT_IS_WRITTEN_WITH_ITS_EVENT);
        requireOneEach(
                paid.stream().map(Notification::of),
                state.notifications().stream(),
                Notification::paymentId,
                Rule.CUSTOMER_IS_NOTIFIED_ONCE);
    }

    private <T, K> void requireOneEach(Stream<T> expected, Stream<T> found, Function<T, K> id, Rule rule) {
        Map<K, List<T>> expectedById = expected.collect(Collectors.groupingBy(id, TreeMap::new, Collectors.toList()));
        Map<K, List<T>> foundById = found.collect(Collectors.groupingBy(id, TreeMap::new, Collectors.toList()));
        expectedById.forEach((key, one) -> {
            List<T> others = foundById.getOrDefault(key, List.of());
            violations.require(others.equals(one), rule, one, others);
        });
        foundById.forEach((key, others) -> violations.require(expectedById.containsKey(key), rule, others));
    }
}
