package io.idempotency.sample.patterns;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The effect is a change by some amount that has to be audited: each account has a ledger with one entry an event, and
 * its balance can be made from that anew.
 */
@PostgresTest
@Tag("full")
class AccountLedgerTest {

    private static final String ENTER = """
            insert into ledger_entry (account_id, event_id, cents)
            values (?, ?, ?)
            on conflict (account_id, event_id) do nothing""";

    private static final String ADD = """
            update ledger_account
            set cents = cents + ?
            where account_id = ?""";

    private static final String REPAIR = """
            update ledger_account
            set cents = (
                select coalesce(sum(entry.cents), 0)
                from ledger_entry entry
                where entry.account_id = ledger_account.account_id)""";

    private final JdbcTemplate jdbc;

    private final TransactionTemplate transaction;

    AccountLedgerTest(TestDatabase database) {
        jdbc = new JdbcTemplate(database.dataSource(20));
        transaction = new TransactionTemplate(new JdbcTransactionManager(jdbc.getDataSource()));
    }

    @Test
    void aTransferChangesEachOfItsAccountsOnceAndTheLedgerRepairsABalance() {
        jdbc.execute("""
                create table ledger_account (account_id text primary key, cents bigint not null);
                create table ledger_entry (
                    account_id text not null references ledger_account,
                    event_id text not null,
                    cents bigint not null,
                    primary key (account_id, event_id))""");
        jdbc.update("insert into ledger_account values ('a', 0), ('b', 0), ('c', 0)");
        List<Transfer> transfers = IntStream.rangeClosed(1, 10)
                .mapToObj(number -> new Transfer("t-" + number, "a", number % 2 == 0 ? "b" : "c", number))
                .toList();

        Deliveries.atOnce(transfers, this::book);

        assertThat(balances()).containsExactly("a -55", "b 30", "c 25");

        jdbc.update("update ledger_account set cents = 0");
        jdbc.update(REPAIR);

        assertThat(balances()).containsExactly("a -55", "b 30", "c 25");
    }

    private void book(Transfer transfer) {
        transaction.executeWithoutResult(status -> {
            enter(transfer.from(), transfer.eventId(), -transfer.cents());
            enter(transfer.to(), transfer.eventId(), transfer.cents());
        });
    }

    private void enter(String account, String eventId, long cents) {
        if (jdbc.update(ENTER, account, eventId, cents) == 1) {
            jdbc.update(ADD, cents, account);
        }
    }

    private List<String> balances() {
        return jdbc.queryForList(
                "select account_id || ' ' || cents from ledger_account order by account_id", String.class);
    }

    record Transfer(String eventId, String from, String to, long cents) {}
}
