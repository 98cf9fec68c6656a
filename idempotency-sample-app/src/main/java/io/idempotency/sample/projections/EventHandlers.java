package io.idempotency.sample.projections;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

import io.idempotency.outbox.OutboxHandler;
import io.idempotency.sample.accounts.AccountEvent;

/** Receives events where no broker carries them. */
@Component
@Profile("!kafka")
class EventHandlers {

    private final EventDeliveries deliveries;

    private final AccountBalanceProjection balances;

    private final DailyTotalsProjection totals;

    EventHandlers(EventDeliveries deliveries, AccountBalanceProjection balances, DailyTotalsProjection totals) {
        this.deliveries = deliveries;
        this.balances = balances;
        this.totals = totals;
    }

    @OutboxHandler(topic = AccountEvent.TOPIC, consumer = AccountBalanceProjection.NAME + "-deliveries")
    void handleForBalances(AccountEvent event) {
        deliveries.deliver(balances, event);
    }

    @OutboxHandler(topic = AccountEvent.TOPIC, consumer = DailyTotalsProjection.NAME + "-deliveries")
    void handleForTotals(AccountEvent event) {
        deliveries.deliver(totals, event);
    }
}
