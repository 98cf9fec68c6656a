package io.idempotency.sample.accounts;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The event store: the accounts, and what happened to them. Nothing in it is ever changed. */
@Repository
class AccountEvents {

    private static final String OPEN =
            "insert into account (account_id) values (:accountId) on conflict do nothing returning account_id";

    /** Events of one account follow each other. Their foreign keys lock the account as well, but for its key only. */
    private static final String LOCK = "select account_id from account where account_id = :accountId for no key update";

    /** A statement of its own after the lock: the one that waited would not see what it has waited for. */
    private static final String FIND_LAST = """
            select account_id, version, balance_cents
            from account_event
            where account_id = :accountId
            order by version desc
            limit 1""";

    private static final String APPEND = """
            insert into account_event (account_id, version, event_type, amount_cents, balance_cents, payment_id)
            values (:accountId, :version, :type, :changeCents, :balanceCents, :paymentId)
            returning *""";

    private static final String FIND =
            "select * from account_event where account_id = :accountId and version = :version";

    private static final String FIND_AFTER = """
            select *
            from account_event
            where account_id = :accountId and version > :version
            order by version
            limit :limit""";

    private final JdbcClient jdbc;

    AccountEvents(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Makes an account without any events; {@code false} if there is one already. */
    boolean open(String accountId) {
        return jdbc.sql(OPEN)
                .param("accountId", accountId)
                .query(String.class)
                .optional()
                .isPresent();
    }

    /** Until the end of the transaction; {@code false} if there is no such account. */
    boolean lock(String accountId) {
        return jdbc.sql(LOCK)
                .param("accountId", accountId)
                .query(String.class)
                .optional()
                .isPresent();
    }

    /** Where the account's events have brought it. */
    Optional<Account> findLast(String accountId) {
        return jdbc.sql(FIND_LAST)
                .param("accountId", accountId)
                .query(Account.class)
                .optional();
    }

    AccountEvent append(AccountCommand command, Account last) {
        return jdbc.sql(APPEND)
                .param("accountId", command.accountId())
                .param("version", last.version() + 1)
                .param("type", command.type().text())
                .param("changeCents", command.changeCents())
                .param("balanceCents", Math.addExact(last.balanceCents(), command.changeCents()))
                .param("paymentId", command.paymentId())
                .query(AccountEvents::map)
                .single();
    }

    Optional<AccountEvent> find(String accountId, long version) {
        return jdbc.sql(FIND)
                .param("accountId", accountId)
                .param("version", version)
                .query(AccountEvents::map)
                .optional();
    }

    List<AccountEvent> findAfter(String accountId, long version, int limit) {
        return jdbc.sql(FIND_AFTER)
                .param("accountId", accountId)
                .param("version", version)
                .param("limit", limit)
                .query(AccountEvents::map)
                .list();
    }

    static AccountEvent map(ResultSet row, int rowNumber) throws SQLException {
        return new AccountEvent(
                row.getObject("event_id", UUID.class),
                row.getString("account_id"),
                row.getLong("version"),
                AccountEventType.of(row.getString("event_type")),
                Math.abs(row.getLong("amount_cents")),
                row.getLong("balance_cents"),
                row.getObject("payment_id", UUID.class),
                row.getObject("occurred_at", OffsetDateTime.class).toInstant());
    }
}
