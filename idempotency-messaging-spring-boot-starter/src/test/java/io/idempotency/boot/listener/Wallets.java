package io.idempotency.boot.listener;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.springframework.jdbc.core.JdbcTemplate;

/** Balances and their entries. Nothing in these tables keeps an entry from being made twice. */
class Wallets {

    private final JdbcTemplate jdbc;

    Wallets(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    static void createTables(JdbcTemplate jdbc) {
        jdbc.execute("""
                create table wallet (account text primary key, cents bigint not null);
                create table wallet_entry (message_id text not null, account text not null, cents bigint not null)""");
    }

    static Map<String, Long> sums(List<Deposit> deposits) {
        return deposits.stream()
                .collect(Collectors.groupingBy(Deposit::account, Collectors.summingLong(Deposit::cents)));
    }

    void deposit(Deposit deposit) {
        jdbc.update("insert into wallet_entry values (?, ?, ?)", deposit.id(), deposit.account(), deposit.cents());
        jdbc.update(
                "insert into wallet values (?, ?)"
                        + " on conflict (account) do update set cents = wallet.cents + excluded.cents",
                deposit.account(),
                deposit.cents());
    }

    long entries() {
        return jdbc.queryForObject("select count(*) from wallet_entry", Long.class);
    }

    long handled() {
        return jdbc.queryForObject("select count(distinct message_id) from wallet_entry", Long.class);
    }

    Map<String, Long> balances() {
        return jdbc
                .query(
                        "select account, cents from wallet",
                        (row, number) -> Map.entry(row.getString(1), row.getLong(2)))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
