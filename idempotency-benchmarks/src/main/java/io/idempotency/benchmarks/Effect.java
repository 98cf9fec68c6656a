package io.idempotency.benchmarks;

import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;

/** What a message tells of, and what its delivery leads to; the same for every contender. */
final class Effect {

    private final JdbcTemplate jdbc;

    Effect(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    static void createTables(JdbcTemplate jdbc) {
        jdbc.execute("create table account (id integer primary key, cents bigint not null);"
                + "create table payment (id bigint generated always as identity primary key, number integer, account integer);"
                + "create table delivered (id bigint generated always as identity primary key, number integer)");
        createAccounts(jdbc);
    }

    static void createAccounts(JdbcTemplate jdbc) {
        jdbc.update("insert into account select n, 0 from generate_series(0, ?) as n", Payment.ACCOUNTS - 1);
    }

    void pay(Payment payment) {
        jdbc.update("insert into payment (number, account) values (?, ?)", payment.number(), payment.account());
        jdbc.update("update account set cents = cents + 1 where id = ?", payment.account());
    }

    /** In batches of the driver. */
    void payAll(List<Payment> payments) {
        jdbc.batchUpdate(
                "insert into payment (number, account) values (?, ?)",
                payments.stream()
                        .map(payment -> new Object[] {payment.number(), payment.account()})
                        .toList());
        jdbc.batchUpdate(
                "update account set cents = cents + 1 where id = ?",
                payments.stream()
                        .map(payment -> new Object[] {payment.account()})
                        .toList());
    }

    void deliver(int number) {
        jdbc.update("insert into delivered (number) values (?)", number);
    }
}
