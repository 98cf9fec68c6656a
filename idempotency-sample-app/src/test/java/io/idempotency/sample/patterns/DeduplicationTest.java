package io.idempotency.sample.patterns;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Ways without the inbox. Messages come as brokers deliver them at worst: several times, in any order, and all at once. */
@PostgresTest
@Tag("full")
class DeduplicationTest {

    private static final int DELIVERIES_OF_EACH = 8;

    private static final String SHIP = """
            insert into shipment (event_id, order_id)
            values (?, ?)
            on conflict (event_id) do nothing""";

    private static final String ENTER = """
            insert into ledger_entry (account_id, event_id, cents)
            values (?, ?, ?)
            on conflict (account_id, event_id) do nothing""";

    private static final String ADD = """
            update ledger_account
            set cents = cents + ?
            where account_id = ?""";

    private static final String KEEP_NEWEST = """
            insert into customer_address (customer_id, version, address)
            values (?, ?, ?)
            on conflict (customer_id) do update
            set version = excluded.version, address = excluded.address
            where customer_address.version < excluded.version""";

    private final JdbcTemplate jdbc;

    private final TransactionTemplate transaction;

    DeduplicationTest(TestDatabase database) {
        jdbc = new JdbcTemplate(database.dataSource(20));
        transaction = new TransactionTemplate(new JdbcTransactionManager(jdbc.getDataSource()));
    }

    @Test
    void anEventIdThatIsUniqueShipsOnce() {
        jdbc.execute("create table shipment (event_id text primary key, order_id text not null)");

        deliver(List.of("e-1", "e-2", "e-3", "e-4"), event -> jdbc.update(SHIP, event, "order of " + event));

        assertThat(jdbc.queryForList("select event_id || ': ' || order_id from shipment order by 1", String.class))
                .containsExactly("e-1: order of e-1", "e-2: order of e-2", "e-3: order of e-3", "e-4: order of e-4");
    }

    @Test
    void aLedgerChangesEachAccountOfATransferOnce() {
        jdbc.execute("""
                create table ledger_account (account_id text primary key, cents bigint not null);
                create table ledger_entry (
                    account_id text not null references ledger_account,
                    event_id text not null,
                    cents bigint not null,
                    primary key (account_id, event_id));
                insert into ledger_account values ('a', 0), ('b', 0), ('c', 0)""");
        List<Transfer> transfers = IntStream.rangeClosed(1, 10)
                .mapToObj(number -> new Transfer("t-" + number, "a", number % 2 == 0 ? "b" : "c", number))
                .toList();

        deliver(
                transfers,
                transfer -> transaction.executeWithoutResult(status -> {
                    enter(transfer.from(), transfer.eventId(), -transfer.cents());
                    enter(transfer.to(), transfer.eventId(), transfer.cents());
                }));

        assertThat(jdbc.queryForList("select account_id || ' ' || cents from ledger_account order by 1", String.class))
                .containsExactly("a -55", "b 30", "c 25");
    }

    private void enter(String account, String eventId, long cents) {
        if (jdbc.update(ENTER, account, eventId, cents) == 1) {
            jdbc.update(ADD, cents, account);
        }
    }

    @Test
    void theNewestStateStaysInWhateverOrderTheyCome() {
        jdbc.execute("create table customer_address"
                + " (customer_id text primary key, version bigint not null, address text not null)");

        deliver(
                IntStream.rangeClosed(1, 10).boxed().toList(),
                version -> jdbc.update(KEEP_NEWEST, "c-1", version, "address " + version));

        assertThat(jdbc.queryForList("select version || ' ' || address from customer_address", String.class))
                .containsExactly("10 address 10");
    }

    private static <M> void deliver(List<M> messages, Consumer<M> receiver) {
        List<M> deliveries = new ArrayList<>();
        Collections.nCopies(DELIVERIES_OF_EACH, messages).forEach(deliveries::addAll);
        Collections.shuffle(deliveries, new Random(7));
        ConcurrentCalls.run(deliveries.size(), delivery -> {
                    receiver.accept(deliveries.get(delivery));
                    return delivery;
                })
                .requireAllSucceeded();
    }

    record Transfer(String eventId, String from, String to, long cents) {}
}
