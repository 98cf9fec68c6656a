package io.idempotency.sample;

import java.util.List;

import com.stripe.model.Charge;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;

/** A payment that was charged, as its row tells it or as Stripe's client does. */
record ChargedPayment(String id, long amount, String currency, String description, long created) {

    private static final String FIND = """
            select 'ch_' || replace(payment_id::text, '-', '') as id, amount_cents as amount, lower(currency) as currency,
                   reference as description, floor(extract(epoch from created_at))::bigint as created
            from payment
            where reference = ?""";

    static ChargedPayment of(Charge charge) {
        return new ChargedPayment(
                charge.getId(), charge.getAmount(), charge.getCurrency(), charge.getDescription(), charge.getCreated());
    }

    static List<ChargedPayment> find(JdbcTemplate jdbc, String description) {
        return jdbc.query(FIND, new DataClassRowMapper<>(ChargedPayment.class), description);
    }
}
