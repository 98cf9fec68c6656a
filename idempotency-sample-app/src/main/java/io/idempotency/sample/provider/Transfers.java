package io.idempotency.sample.provider;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The provider's transfers, one for each key. */
@Repository
class Transfers {

    private static final int UNLUCKY_CENTS = 13;

    private static final String INSERT = """
            insert into provider_transfer (idempotency_key, account, amount_cents, transfer_id, refusal)
            values (:key, :account, :amountCents, :transferId, :refusal)
            on conflict (idempotency_key) do nothing""";

    private static final String FIND = """
            select account, amount_cents, transfer_id, refusal
            from provider_transfer
            where idempotency_key = :key""";

    private final JdbcClient jdbc;

    Transfers(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Decides at most once for each key. */
    ProviderAnswer decide(String key, TransferOrder order) {
        String refusal = refusalOf(order);
        jdbc.sql(INSERT)
                .param("key", key)
                .param("account", order.account())
                .param("amountCents", order.amountCents())
                .param("transferId", refusal == null ? UUID.randomUUID() : null)
                .param("refusal", refusal)
                .update();
        return jdbc.sql(FIND)
                .param("key", key)
                .query((row, rowNumber) -> answer(row, order))
                .single();
    }

    private static @Nullable String refusalOf(TransferOrder order) {
        return order.amountCents() % 100 == UNLUCKY_CENTS
                ? "The provider does not transfer amounts that end in 13 cents."
                : null;
    }

    private static ProviderAnswer answer(ResultSet row, TransferOrder order) throws SQLException {
        TransferOrder decided = new TransferOrder(row.getString("account"), row.getLong("amount_cents"));
        if (!decided.equals(order)) {
            return ProviderAnswer.of(ProviderAnswer.KEY_REUSED, "The key was used for another transfer.");
        }
        String refusal = row.getString("refusal");
        return refusal == null
                ? ProviderAnswer.of(new Transfer(
                        row.getObject("transfer_id", UUID.class), decided.account(), decided.amountCents()))
                : ProviderAnswer.of(ProviderAnswer.REFUSED, refusal);
    }
}
