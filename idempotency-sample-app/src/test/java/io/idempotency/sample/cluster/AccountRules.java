package io.idempotency.sample.cluster;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.idempotency.sample.cluster.FinalState.Balance;
import io.idempotency.sample.cluster.FinalState.DailyTotals;
import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.Violation.Rule;

/** Accounts, their events, and what is made of those. */
final class AccountRules {

    private final Violations violations;

    AccountRules(Violations violations) {
        this.violations = violations;
    }

    void check(FinalState state) {
        Map<String, List<Event>> byAccount = state.events().stream()
                .sorted(Comparator.comparing(Event::version))
                .collect(Collectors.groupingBy(Event::accountId, TreeMap::new, Collectors.toList()));
        byAccount.forEach((accountId, events) -> checkAccount(accountId, events, state));
    }

    private void checkAccount(String accountId, List<Event> events, FinalState state) {
        long version = 0;
        long sum = 0;
        for (Event event : events) {
            violations.require(event.version() == version + 1, Rule.VERSIONS_HAVE_NO_GAP, version, accountId, event);
            sum += event.amountCents();
            violations.require(event.balanceCents() == sum, Rule.BALANCE_IS_SUM_OF_EVENTS, sum, event);
            violations.require(sum >= 0, Rule.BALANCE_IS_NOT_NEGATIVE, accountId, event);
            version = event.version();
        }
        Balance balance = new Balance(accountId, version, sum);
        List<Balance> shown = of(accountId, state.shown());
        List<Balance> projected = of(accountId, state.projected());
        violations.require(Set.copyOf(shown).equals(Set.of(balance)), Rule.BALANCE_IS_SUM_OF_EVENTS, balance, shown);
        violations.require(projected.equals(List.of(balance)), Rule.PROJECTION_FOLLOWS_EVENTS, balance, projected);
        checkTotals(accountId, events, state.totals());
    }

    private static List<Balance> of(String accountId, List<Balance> balances) {
        return balances.stream()
                .filter(balance -> balance.accountId().equals(accountId))
                .toList();
    }

    /** What opens an account counts as a deposit. */
    private void checkTotals(String accountId, List<Event> events, List<DailyTotals> totals) {
        long paid = sum(events.stream().filter(Event::isPayment));
        long all = sum(events.stream());
        List<DailyTotals> ofAccount = totals.stream()
                .filter(total -> total.accountId().equals(accountId))
                .toList();
        long projectedPaid =
                ofAccount.stream().mapToLong(DailyTotals::paymentCents).sum();
        long projected = ofAccount.stream().mapToLong(DailyTotals::net).sum();
        violations.require(
                projectedPaid == -paid && projected == all,
                Rule.PROJECTION_FOLLOWS_EVENTS,
                accountId,
                all,
                paid,
                ofAccount);
    }

    private static long sum(Stream<Event> events) {
        return events.mapToLong(Event::amountCents).sum();
    }
}
