package io.idempotency.sample.payments;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The payments in the database. */
@Repository
class Payments {

    private static final String INSERT = """
            insert into payment (payment_id, account_id, amount_cents, currency, reference, status)
            values (:paymentId, :accountId, :amountCents, :currency, :reference, :status)
            returning *""";

    private static final String SELECT = """
            select payment_id, account_id, amount_cents, currency, reference, created_at,
                case when settled_at is null then status else 'SETTLED' end as status
            from payment left join payment_settlement using (payment_id)
            """;

    private static final String FIND = SELECT + "where payment_id = :paymentId";

    private static final String FIND_NEWEST = SELECT + """
            where account_id = :accountId
            order by created_at desc, payment_id
            limit :limit""";

    private final JdbcClient jdbc;

    Payments(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Records a payment. Taking the money is a matter of the account. */
    Payment add(UUID paymentId, PaymentRequest request) {
        return jdbc.sql(INSERT)
                .param("paymentId", paymentId)
                .param("accountId", request.accountId())
                .param("amountCents", request.amountCents())
                .param("currency", request.currency().name())
                .param("reference", request.reference())
                .param("status", PaymentStatus.COMPLETED.name())
                .query(Payments::map)
                .single();
    }

    Payment get(UUID paymentId) {
        return jdbc.sql(FIND)
                .param("paymentId", paymentId)
                .query(Payments::map)
                .optional()
                .orElseThrow(() -> new PaymentNotFoundException(paymentId));
    }

    List<Payment> findNewest(String accountId, int limit) {
        return jdbc.sql(FIND_NEWEST)
                .param("accountId", accountId)
                .param("limit", limit)
                .query(Payments::map)
                .list();
    }

    private static Payment map(ResultSet row, int rowNumber) throws SQLException {
        return new Payment(
                row.getObject("payment_id", UUID.class),
                row.getString("account_id"),
                row.getLong("amount_cents"),
                Currency.valueOf(row.getString("currency")),
                row.getString("reference"),
                PaymentStatus.valueOf(row.getString("status")),
                row.getObject("created_at", OffsetDateTime.class).toInstant());
    }
}
