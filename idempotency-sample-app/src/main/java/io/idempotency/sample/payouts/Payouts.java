package io.idempotency.sample.payouts;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The payouts in the database. Each is decided once. */
@Repository
class Payouts {

    private static final String FIND = "select * from payout where payout_id = :payoutId";

    private static final String BEGIN = """
            insert into payout (payout_id, account_id, amount_cents)
            values (:payoutId, :accountId, :amountCents)
            returning *""";

    private static final String DECIDE = """
            update payout
            set status = :status, transfer_id = :transferId, refusal = :refusal
            where payout_id = :payoutId and status = 'PENDING'""";

    private final JdbcClient jdbc;

    Payouts(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Optional<Payout> find(UUID payoutId) {
        return jdbc.sql(FIND).param("payoutId", payoutId).query(Payouts::map).optional();
    }

    Payout begin(UUID payoutId, String accountId, long amountCents) {
        return jdbc.sql(BEGIN)
                .param("payoutId", payoutId)
                .param("accountId", accountId)
                .param("amountCents", amountCents)
                .query(Payouts::map)
                .single();
    }

    /** Returns {@code false} if it was decided before. */
    boolean decide(Payout payout) {
        return jdbc.sql(DECIDE)
                        .param("payoutId", payout.payoutId())
                        .param("status", payout.status().name())
                        .param("transferId", payout.transferId())
                        .param("refusal", payout.refusal())
                        .update()
                == 1;
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
