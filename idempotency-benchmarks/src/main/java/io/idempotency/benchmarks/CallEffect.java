package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;

/** What a call does: one row inserted, one of {@value Payment#ACCOUNTS} updated, and a response. */
final class CallEffect {

    private final Effect effect;

    private final JdbcTemplate jdbc;

    private final EffectSettings settings;

    CallEffect(Effect effect, JdbcTemplate jdbc, EffectSettings settings) {
        this.effect = effect;
        this.jdbc = jdbc;
        this.settings = settings;
    }

    Receipt pay(Payment payment) {
        effect.pay(payment);
        Duration pause = settings.pause();
        if (!pause.isZero()) {
            jdbc.query("select pg_sleep(?)", row -> {}, pause.toNanos() / 1e9);
        }
        settings.executed();
        return Receipt.of(payment, settings.responseBytes());
    }

    /** In the order of the accounts, or two batches could deadlock. */
    void payAll(List<Message> messages) {
        List<Payment> ordered = messages.stream()
                .map(Message::payment)
                .sorted(Comparator.comparingInt(Payment::account))
                .toList();
        if (settings.batched()) {
            effect.payAll(ordered);
        } else {
            ordered.forEach(effect::pay);
        }
        settings.executed();
    }
}
