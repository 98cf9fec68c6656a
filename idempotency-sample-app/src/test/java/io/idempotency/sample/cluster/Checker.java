package io.idempotency.sample.cluster;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.FinalState.Transfer;
import io.idempotency.sample.cluster.Violation.Rule;

/** Says what is wrong with a final state, given everything that clients sent and met. */
final class Checker {

    private final List<Attempt> attempts;

    private final List<Delivery> deliveries;

    private final FinalState state;

    private final Violations violations = new Violations();

    private Checker(List<Attempt> attempts, List<Delivery> deliveries, FinalState state) {
        this.attempts = attempts;
        this.deliveries = deliveries;
        this.state = state;
    }

    static List<Violation> check(List<Attempt> attempts, List<Delivery> deliveries, FinalState state) {
        return new Checker(attempts, deliveries, state).check();
    }

    /** Keys that met a final failure which is not recorded: allowed where a fault struck the record, and only there. */
    static List<Intent> unrecordedFailures(List<Attempt> attempts, FinalState state) {
        return new Checker(attempts, List.of(), state)
                .intents().stream()
                        .filter(intent -> !intent.failed()
                                && intent.attempts().stream()
                                        .anyMatch(attempt -> SampleApi.isFinalFailure(attempt.outcome())))
                        .toList();
    }

    private List<Violation> check() {
        List<Intent> intents = intents();
        IntentRules intentRules = new IntentRules(violations);
        intents.forEach(intentRules::check);
        PayoutRules payoutRules = new PayoutRules(violations);
        intents.stream().filter(Intent::isPayout).forEach(payoutRules::check);
        checkAskedFor(intents);
        new AccountRules(violations).check(state);
        new MessageRules(violations).check(state);
        new PaymentRules(violations).check(state);
        new WebhookRules(violations).check(deliveries, state);
        return violations.found();
    }

    private List<Intent> intents() {
        Map<String, List<Event>> events =
                state.events().stream().filter(event -> event.key() != null).collect(Collectors.groupingBy(Event::key));
        Map<String, List<Transfer>> transfers =
                state.transfers().stream().collect(Collectors.groupingBy(Transfer::key));
        Set<String> failed = state.failures().stream()
                .map(failure -> failure.scope() + " " + failure.key())
                .collect(Collectors.toSet());
        Map<String, List<Attempt>> byKey = attempts.stream()
                .collect(Collectors.groupingBy(attempt -> attempt.command().key()));
        List<Intent> intents = new ArrayList<>();
        byKey.forEach((key, ofKey) -> {
            Command command = ofKey.get(0).command();
            Map<Boolean, List<Event>> returns =
                    events.getOrDefault(key, List.of()).stream().collect(Collectors.partitioningBy(command::isReturn));
            intents.add(new Intent(
                    command,
                    ofKey,
                    failed.contains(command.operation().scope() + " " + key),
                    returns.get(false),
                    returns.get(true),
                    transfers.getOrDefault(command.transferKey(), List.of())));
        });
        return intents;
    }

    private void checkAskedFor(List<Intent> intents) {
        Set<Event> events = new HashSet<>();
        Set<Transfer> transfers = new HashSet<>();
        Set<String> keys = new HashSet<>();
        for (Intent intent : intents) {
            events.addAll(intent.events());
            events.addAll(intent.returns());
            transfers.addAll(intent.transfers());
            keys.add(intent.command().key());
        }
        requireAsked(state.events(), event -> events.contains(event) || event.isFirst());
        requireAsked(state.transfers(), transfers::contains);
        requireAsked(state.failures(), failure -> keys.contains(failure.key()));
    }

    private <T> void requireAsked(List<T> all, Predicate<T> asked) {
        all.forEach(one -> violations.require(asked.test(one), Rule.EFFECT_WAS_ASKED_FOR, one));
    }
}
