package io.idempotency.benchmarks.effect;

import java.util.Comparator;
import java.util.List;

import org.springframework.jdbc.core.JdbcTemplate;

/** What every contender does for a call or a message: one row inserted, one of {@value #ACCOUNTS} updated, a response. */
public final class Effect {

    static final int ACCOUNTS = 10_000;

    /** The tables of the effect. */
    public static final String DDL = """
        create table account (id integer primary key, cents bigint not null);
        create table payment (id bigint generated always as identity primary key, number integer, account integer);
        create table delivered (id bigint generated always as identity primary key, number integer);
        insert into account select n, 0 from generate_series(0, %s) as n;
        """.formatted(ACCOUNTS - 1);

    private static final String INSERT = "insert into payment (number, account) values (?, ?)";

    private static final String UPDATE = "update account set cents = cents + 1 where id = ?";

    private static final String IN_ONE_MESSAGE = "begin; " + INSERT + "; " + UPDATE + "; commit";

    private final JdbcTemplate jdbc;

    Effect(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Makes a payment. */
    public Receipt pay(Payment payment) {
        jdbc.update(INSERT, payment.number(), payment.account());
        jdbc.update(UPDATE, payment.account());
        return Receipt.of(payment);
    }

    /** Makes a payment in a transaction of its own, in one round trip. */
    public Receipt payInOneMessage(Payment payment) {
        jdbc.update(IN_ONE_MESSAGE, payment.number(), payment.account(), payment.account());
        return Receipt.of(payment);
    }

    /** Returns the statements of a payment, with named parameters. */
    public static List<String> statements() {
        return List.of(
                "insert into payment (number, account) values (:number, :account)",
                "update account set cents = cents + 1 where id = :account");
    }

    /** Makes the payments of messages in two batches of the driver, in the order of accounts so that none deadlock. */
    public void payAll(List<Message> messages) {
        List<Payment> payments = messages.stream()
                .map(Message::payment)
                .sorted(Comparator.comparingInt(Payment::account))
                .toList();
        jdbc.batchUpdate(
                INSERT,
                payments.stream()
                        .map(payment -> new Object[] {payment.number(), payment.account()})
                        .toList());
        jdbc.batchUpdate(
                UPDATE,
                payments.stream()
                        .map(payment -> new Object[] {payment.account()})
                        .toList());
    }

    /** Handles a message of the outbox. */
    public void deliver(Payment payment) {
        jdbc.update("insert into delivered (number) values (?)", payment.number());
    }
}
