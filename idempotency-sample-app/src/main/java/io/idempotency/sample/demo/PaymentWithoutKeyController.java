package io.idempotency.sample.demo;

import java.time.OffsetDateTime;
import java.util.Map;
import java.util.UUID;

import jakarta.validation.Valid;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.sample.accounts.AccountEvent;
import io.idempotency.sample.accounts.AccountEventType;
import io.idempotency.sample.payments.PaymentRequest;

/**
 * The wrong way, which the page shows beside the right one: the same payment without {@code @Idempotent}. It is one transaction
 * and locks the account, and still charges for each attempt, because nothing tells a repeated request from a new payment.
 */
@RestController
class PaymentWithoutKeyController {

    static final String PATH = "/demo/payments-without-key";

    private static final String LOCK = "select account_id from account where account_id = :accountId for no key update";

    private static final String CHARGE = """
            with event as (
                insert into account_event (account_id, version, event_type, amount_cents, balance_cents, payment_id)
                select account_id, version + 1, 'paid', -:amountCents, balance_cents - :amountCents, gen_random_uuid()
                from account_event
                where account_id = :accountId
                order by version desc
                limit 1
                returning *),
            paid as (
                insert into payment (payment_id, account_id, amount_cents, currency, reference, status)
                select payment_id, account_id, :amountCents, :currency, :reference, 'COMPLETED'
                from event)
            select event_id, version, balance_cents, payment_id, occurred_at
            from event""";

    private final JdbcClient jdbc;

    private final Outbox outbox;

    private final Executions executions;

    PaymentWithoutKeyController(JdbcClient jdbc, Outbox outbox, Executions executions) {
        this.jdbc = jdbc;
        this.outbox = outbox;
        this.executions = executions;
    }

    @Transactional
    @PostMapping(PATH)
    @ResponseStatus(HttpStatus.CREATED)
    Map<String, UUID> pay(@Valid @RequestBody PaymentRequest request) {
        return executions.execute(() -> charge(request));
    }

    private Map<String, UUID> charge(PaymentRequest request) {
        jdbc.sql(LOCK)
                .param("accountId", request.accountId())
                .query(String.class)
                .single();
        AccountEvent event = jdbc.sql(CHARGE)
                .param("accountId", request.accountId())
                .param("amountCents", request.amountCents())
                .param("currency", request.currency().name())
                .param("reference", request.reference())
                .query((row, rowNumber) -> new AccountEvent(
                        row.getObject("event_id", UUID.class),
                        request.accountId(),
                        row.getLong("version"),
                        AccountEventType.PAID,
                        request.amountCents(),
                        row.getLong("balance_cents"),
                        row.getObject("payment_id", UUID.class),
                        row.getObject("occurred_at", OffsetDateTime.class).toInstant()))
                .single();
        // The projections read it as any other event.
        outbox.publish(OutboxMessage.of(AccountEvent.TOPIC, AccountEvent.MESSAGE_TYPE)
                .orderingKey(event.accountId())
                .aggregate("account", event.accountId())
                .payload(event)
                .build());
        return Map.of("paymentId", event.paymentId());
    }
}
