package io.idempotency.boot.chain;

import java.util.List;
import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The effect under test: one row a payment, which tells the transaction that wrote it. */
class Ledger {

    private final JdbcTemplate jdbc;

    Ledger(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    Receipt enter(String key) {
        Receipt receipt = new Receipt(UUID.randomUUID(), key);
        jdbc.update("insert into entry (id, key) values (?, ?)", receipt.paymentId(), key);
        return receipt;
    }

    static void createTable(TestDatabase database) {
        database.jdbc().execute("""
                create table entry (id uuid primary key, key text not null,
                    xid text not null default pg_current_xact_id()::text)""");
    }

    /** What is committed, seen from outside of the application. */
    static Committed committedIn(TestDatabase database) {
        return new Committed(database.jdbc());
    }

    record Committed(JdbcTemplate jdbc) {

        private static final String TRANSACTIONS = """
                select e.xid::xid8::xid::text as inserting, e.xmin::text as of_effect, r.xmin::text as of_claim, r.status
                from entry e join idempotency.idempotency_request r on r.idempotency_key = e.key
                where e.key = ?""";

        /** The claim, its completion (which made the row that is seen) and the effect are of one transaction. */
        void assertOneEffectInTheTransactionOfItsClaim(String key) {
            assertThat(entries(key)).hasSize(1);
            List<Transactions> found = jdbc.query(
                    TRANSACTIONS,
                    (row, number) -> new Transactions(
                            row.getString("inserting"),
                            row.getString("of_effect"),
                            row.getString("of_claim"),
                            row.getString("status")),
                    key);
            assertThat(found).singleElement().satisfies(transactions -> {
                assertThat(transactions.ofEffect()).isEqualTo(transactions.inserting());
                assertThat(transactions.ofClaim()).isEqualTo(transactions.inserting());
                assertThat(transactions.status()).isEqualTo("succeeded");
            });
        }

        void assertNothing(String key) {
            assertThat(entries(key)).isEmpty();
            assertThat(claims(key)).isZero();
        }

        List<UUID> entries(String key) {
            return jdbc.queryForList("select id from entry where key = ?", UUID.class, key);
        }

        long claims(String key) {
            return jdbc.queryForObject(
                    "select count(*) from idempotency.idempotency_request where idempotency_key = ?", Long.class, key);
        }

        private record Transactions(String inserting, String ofEffect, String ofClaim, String status) {}
    }
}
