package io.idempotency.proof.shop;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import io.idempotency.Idempotent;
import io.idempotency.inbox.IdempotentReceiver;

/** Services that are wrong in known ways. The comment at a line is the name by which the test finds it. */
@Service
class WrongShop {

    private final JdbcTemplate jdbc;

    private final JdbcTemplate other;

    private final DataSource dataSource;

    private final Audit audit;

    private final Outside outside;

    private final ApplicationEventPublisher events;

    WrongShop(
            JdbcTemplate jdbc,
            DataSource dataSource,
            @Qualifier("otherDataSource") DataSource otherDataSource,
            Audit audit,
            Outside outside,
            ApplicationEventPublisher events) {
        this.jdbc = jdbc;
        this.dataSource = dataSource;
        this.other = new JdbcTemplate(otherDataSource);
        this.audit = audit;
        this.outside = outside;
        this.events = events;
    }

    private void note() {
        jdbc.update("insert into note (text) values ('wrong')"); // note
    }

    @Transactional
    @Idempotent(scope = "w-requires-new", key = "#key")
    public void auditInRequiresNew(String key) {
        audit.inNewTransaction(key);
        note();
    }

    @Transactional
    @Idempotent(scope = "w-two-writers", key = "#key")
    public void twoWritersInOneLine(String key) {
        audit.addAndRollBack(key);
        audit.addInNewTransaction(key);
        note();
    }

    @Transactional
    @IdempotentReceiver(consumer = "w-receive-in-requires-new", messageId = "#id")
    public void receiveInRequiresNew(String id) {
        audit.inNewTransaction(id);
        note();
    }

    @Transactional
    @Idempotent(scope = "w-upsert-in-requires-new", key = "#key")
    public void upsertInRequiresNew(String key) {
        audit.upsert();
        note();
    }

    @Transactional
    @Idempotent(scope = "w-outbox", key = "#key")
    public void messageInRequiresNew(String key) {
        audit.publishInNewTransaction(key);
        note();
    }

    @Transactional
    @Idempotent(scope = "w-own-commit", key = "#key")
    public void ownCommit(String key) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert = connection.prepareStatement("insert into audit (text) values (?)")) {
            connection.setAutoCommit(false);
            insert.setString(1, key);
            insert.executeUpdate(); // ownCommit
            connection.commit();
            connection.setAutoCommit(true);
        }
        note();
    }

    @Transactional
    @Idempotent(scope = "w-event-listener", key = "#key")
    public void eventListenerAfterCommit(String key) {
        note();
        events.publishEvent(new Audit.Committed(key));
    }

    @Transactional
    @Idempotent(scope = "w-after-completion", key = "#key")
    public void afterCompletion(String key) {
        note();
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

            @Override
            public void afterCompletion(int status) {
                try (Connection connection = dataSource.getConnection();
                        Statement insert = connection.createStatement()) {
                    insert.execute("insert into audit (text) values ('completed')"); // afterCompletion
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        });
    }

    public String keyMadeInside() {
        return audit.inner(UUID.randomUUID().toString());
    }

    public String randomIdInKey(String key) {
        return audit.inner(key + "-" + UUID.randomUUID());
    }

    public void selfInvocation(String key) {
        annotated(key);
    }

    @Transactional
    @Idempotent(scope = "w-self-invocation", key = "#key")
    public void annotated(String key) {
        note();
    }

    public String effectBeforeTheBoundary(String key) {
        jdbc.update("insert into audit (text) values ('before')"); // before
        return audit.inner(key);
    }

    @Transactional
    @Idempotent(scope = "w-second-data-source", key = "#key")
    public void secondDataSource(String key) {
        other.update("insert into note (text) values ('other')"); // secondDataSource
        note();
    }

    @Transactional
    @Idempotent(scope = "w-http", key = "#key")
    public void httpWithoutDownstreamKey(String key) {
        outside.charge(null); // httpWithoutDownstreamKey
        note();
    }

    @Transactional
    @Idempotent(scope = "w-http-twice", key = "#key")
    public void httpWithAndWithoutDownstreamKey(String key) {
        outside.charge(null); // httpWithAndWithoutDownstreamKey
        outside.charge(key);
        note();
    }

    @Transactional
    @Idempotent(scope = "w-cache", key = "#key")
    public void counterInCache(String key) {
        outside.incrementInCache(); // counterInCache
        note();
    }

    @Transactional
    @Idempotent(scope = "w-file", key = "#key")
    public void fileWritten(String key) {
        outside.appendToFile(); // fileWritten
        note();
    }

    @Transactional
    @Idempotent(scope = "w-async", key = "#key")
    public void asyncWrite(String key) {
        audit.later(key);
        note();
    }

    @Transactional
    @Idempotent(scope = "w-auto-commit", key = "#key")
    public void autoCommit(String key) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement insert = connection.createStatement()) {
            insert.execute("insert into audit (text) values ('auto-commit')"); // autoCommit
        }
        note();
    }

    @Transactional
    @Idempotent(scope = "w-sequence", key = "#key")
    public void sequenceAsMoney(String key) {
        jdbc.queryForObject("select nextval('points')", Long.class); // sequenceAsMoney
        note();
    }

    public void upsertThatAdds(String key) {
        String upsert = "insert into counter values (?, 1) on conflict (name) do update set n = counter.n + 1";
        jdbc.update(upsert, key); // upsert
    }

    @Transactional
    @Idempotent(scope = "w-trigger", key = "#key")
    public void triggerThatAddsOutside(String key) {
        jdbc.update("insert into triggering (text) values (?)", key); // trigger
        note();
    }

    @Transactional
    @Idempotent(scope = "w-random-part", key = "#key")
    public String randomPartStoredElsewhere(String key) {
        String token = UUID.randomUUID().toString();
        outside.charge(token); // randomPart
        note();
        return token;
    }

    @Transactional
    @Idempotent(scope = "w-swallowed", key = "#key")
    public void exceptionSwallowed(String key) {
        try {
            audit.inNewTransaction(key);
        } catch (DataAccessException | TransactionException e) {
            // It will not matter, thought somebody.
        }
        note();
    }

    public void exceptionSwallowedOutside(String key) {
        try {
            audit.inner(key);
        } catch (Throwable e) {
            // It will be repeated, thought somebody.
        }
    }

    @Transactional
    @Idempotent(scope = "w-no-rollback", key = "#key")
    public void noRollbackFor(String key) {
        try {
            audit.withoutRollback(key);
        } catch (OutOfMemoryError e) {
            // The audit is not worth a failure, thought somebody.
        }
        note();
    }

    @Transactional
    public void readThenWrite(String key) {
        if (jdbc.queryForList("select 1 from audit where text = ?", key).isEmpty()) {
            jdbc.update("insert into audit (text) values (?)", key); // readThenWrite
        }
    }

    @Transactional
    public void plainTransactional(String key) {
        jdbc.update("insert into audit (text) values (?)", key); // plainTransactional
    }

    @Transactional
    @Retryable
    public void retryableWithoutKey(String key) {
        jdbc.update("insert into audit (text) values (?)", key); // retryable
    }

    @Transactional
    @Idempotent(scope = "w-view", key = "#key")
    public void viewInRequiresNew(String key) {
        audit.throughView(key);
        note();
    }

    @Transactional
    @Idempotent(scope = "w-function", key = "#key")
    public void functionInRequiresNew(String key) {
        audit.byFunction(key);
        note();
    }

    @Transactional
    @Idempotent(scope = "w-copy", key = "#key")
    public void copyInRequiresNew(String key) {
        audit.byCopy(key);
        note();
    }

    @Transactional
    @Idempotent(scope = "w-rollback", key = "#key")
    public void auditOfRollbacks(String key) {
        events.publishEvent(new Audit.Failing(key));
        note();
    }

    @Transactional
    @Idempotent(scope = "w-unanswered", key = "#key")
    public void neverAgain(String key) {
        audit.once();
    }

    /** The table that is counted is behind the one of the counts in the alphabet. */
    @Transactional
    @Idempotent(scope = "w-consequence", key = "#key")
    public void consequence(String key) {
        audit.inNewTransaction(key);
        jdbc.update("insert into aggregate (n) select count(*) from audit");
    }

    @Transactional
    @Idempotent(scope = "w-two-bugs", key = "#key")
    public void twoBugs(String key) {
        audit.inNewTransaction(key);
        note();
        events.publishEvent(new Audit.Noted(key));
    }

    /** Its numbers are those of the column, too. */
    @Transactional
    @Idempotent(scope = "w-tickets", key = "#key")
    public void ticketsLikeIds(String key) {
        jdbc.queryForObject("select nextval('tickets')", Long.class); // tickets
        jdbc.update("insert into ticketed (text) values ('ticket')");
    }

    public void workAfterTheCall(String key) {
        audit.inner(key);
        audit.join(key);
    }

    public void failureSwallowedOutside(String key) {
        try {
            audit.inner(key);
        } catch (DataAccessException e) {
            // It will be repeated, thought somebody.
        }
    }
}
