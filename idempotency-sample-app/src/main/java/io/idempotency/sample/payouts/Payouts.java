package io.idempotency.sample.payouts;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The payouts in the database. Whatever is said of one twice, or by two attempts at once, the first counts. */
@Repository
class Payouts {

    private static final String FIND = "select * from payout where payout_id = :payoutId";

    private static final String BEGIN = """
            insert into payout (payout_id, account_id, amount_cents)
            values (:payoutId, :accountId, :amountCents)
            on conflict (payout_id) do nothing""";

    private static final String PAID = """
            update payout
            set status = 'PAID', transfer_id = :transferId
            where payout_id = :payoutId and status = 'PENDING'""";

    private static final String REFUSED = """
            update payout
            set status = 'REFUSED', refusal = :refusal
            where payout_id = :payoutId and status = 'PENDING'""";

    private static final String RETURNED = """
            update payout
            set returned_at = clock_timestamp()
            where payout_id = :payoutId and status = 'REFUSED' and returned_at is null""";

    private final JdbcClient jdbc;

    Payouts(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Optional<Payout> find(UUID payoutId) {
        return jdbc.sql(FIND).param("payoutId", payoutId).query(Payouts::map).optional();
    }

    Payout begin(UUID payoutId, String accountId, long amountCents) {
        jdbc.sql(BEGIN)
                .param("payoutId", payoutId)
                .param("accountId", accountId)
                .param("amountCents", amountCents)
                .update();
        return get(payoutId);
    }

    Payout paid(UUID payoutId, UUID transferId) {
        jdbc.sql(PAID)
                .param("payoutId", payoutId)
                .param("transferId", transferId)
                .update();
        return get(payoutId);
    }

    Payout refused(UUID payoutId, String refusal) {
        jdbc.sql(REFUSED).param("payoutId", payoutId).param("refusal", refusal).update();
        return get(payoutId);
    }

    /** In the transaction that puts the money back; {@code false} if that was done before. */
    boolean returned(UUID payoutId) {
        return jdbc.sql(RETURNED).param("payoutId", payoutId).update() == 1;
    }

    private Payout get(UUID payoutId) {
        return find(payoutId).orElseThrow();
    }

    private static Payout map(ResultSet row, int rowNumber) throws SQLException {
        return new Payout(
                row.getObject("payout_id", UUID.class),
                row.getString("account_id"),
                row.getLong("amount_cents"),
                PayoutStatus.valueOf(row.getString("status")),
                row.getObject("transfer_id", UUID.class),
                row.getString("refusal"),
                row.getObject("created_at", OffsetDateTime.class).toInstant());
    }
}
