package io.idempotency.sample.projections;

import org.springframework.context.annotation.Profile;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.stereotype.Component;

import io.idempotency.sample.accounts.AccountEvent;

/** Receives events where Kafka carries them, each projection in a group of its own. */
@Component
@Profile("kafka")
class EventListeners {

    private final EventDeliveries deliveries;

    private final AccountBalanceProjection balances;

    private final DailyTotalsProjection totals;

    EventListeners(EventDeliveries deliveries, AccountBalanceProjection balances, DailyTotalsProjection totals) {
        this.deliveries = deliveries;
        this.balances = balances;
        this.totals = totals;
    }

    @KafkaListener(topics = AccountEvent.TOPIC, groupId = AccountBalanceProjection.NAME)
    void receiveForBalances(@Payload AccountEvent event) {
        deliveries.deliver(balances, event);
    }

    @KafkaListener(topics = AccountEvent.TOPIC, groupId = DailyTotalsProjection.NAME)
    void receiveForTotals(@Payload AccountEvent event) {
        deliveries.deliver(totals, event);
    }
}
