package io.idempotency.boot.interleaving;

import java.lang.reflect.Type;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.ReentrantCallException;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.boot.interleaving.Shop.Receipt;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.inbox.Inbox;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** Calls that make their row, and do something that no call may do, or that must not harm it. */
class TroubledShop {

    /** The payload of all calls but those that are to have another one. */
    static final String PAYLOAD = "same";

    private static final Set<String> violations = ConcurrentHashMap.newKeySet();

    private final JdbcTemplate jdbc;

    private final PlatformTransactionManager manager;

    private final Inbox inbox;

    private final Outbox outbox;

    private final ObjectProvider<TroubledShop> self;

    TroubledShop(
            JdbcTemplate jdbc,
            PlatformTransactionManager manager,
            Inbox inbox,
            Outbox outbox,
            ObjectProvider<TroubledShop> self) {
        this.jdbc = jdbc;
        this.manager = manager;
        this.inbox = inbox;
        this.outbox = outbox;
        this.self = self;
    }

    /** For rows that may be made once. */
    static void createTable(JdbcTemplate jdbc) {
        jdbc.execute("create table only_purchase (key text primary key)");
    }

    @Transactional
    @Idempotent(scope = "troubled", key = "#key", fingerprint = "#payload", waitTimeout = "1s")
    public Receipt transactional(String key, String payload, Trouble trouble) {
        return buy(key, trouble);
    }

    @Transactional
    @Idempotent(
            scope = "troubled-optimistic",
            key = "#key",
            fingerprint = "#payload",
            waitTimeout = "1s",
            mode = IdempotencyMode.OPTIMISTIC)
    public Receipt optimistic(String key, String payload, Trouble trouble) {
        return buy(key, trouble);
    }

    @Transactional
    @Idempotent(
            scope = "troubled-leased",
            key = "#key",
            fingerprint = "#payload",
            waitTimeout = "1s",
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public Receipt leased(String key, String payload, Trouble trouble) {
        return buy(key, trouble);
    }

    /** Its transaction does not see that its lease was extended meanwhile, and could not complete it. */
    @Transactional(isolation = Isolation.REPEATABLE_READ)
    @Idempotent(
            scope = "troubled-in-snapshot",
            key = "#key",
            fingerprint = "''",
            waitTimeout = "1s",
            mode = IdempotencyMode.LEASED,
            lease = "1h")
    public Receipt leasedInSnapshot(String key) {
        Receipt receipt = buy(key, Trouble.NONE);
        mustFail(
                key,
                IllegalStateException.class,
                () -> IdempotencyContext.current().extendLease(Duration.ofHours(1)));
        return receipt;
    }

    /** Asks for a repeat if it is busy, so that nothing of it stays. */
    @Transactional
    @Idempotent(scope = "offers", key = "#key", fingerprint = "''", waitTimeout = "1s")
    public Offer offer(String key, boolean isBusy) {
        return new Offer(buy(key, Trouble.NONE).id(), isBusy);
    }

    /** Its row cannot be made twice, so that a duplicate fails before its key is claimed. */
    @Transactional
    @Idempotent(
            scope = "only",
            key = "#key",
            fingerprint = "''",
            waitTimeout = "10s",
            mode = IdempotencyMode.OPTIMISTIC)
    public Receipt only(String key) {
        jdbc.update("insert into only_purchase (key) values (?)", key);
        return buy(key, Trouble.NONE);
    }

    /** Its row is complete with its claim, so that no later statement fails. */
    @Transactional
    @Idempotent(scope = "troubled-quiet", key = "#key", fingerprint = "''", waitTimeout = "1s")
    public void quiet(String key, Trouble trouble) {
        buy(key, trouble);
    }

    /** Makes a call that joins a transaction. */
    Object inTransaction(String key, Trouble trouble, Function<TroubledShop, Object> call) {
        return transactions(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> {
            Object receipt = call.apply(self.getObject());
            if (trouble.failure != null && Actor.current().attempt() > 0) {
                violations.add(key + ": a call returned that has failed");
            }
            return receipt;
        });
    }

    /** Undoes the call after it has returned. */
    Object rolledBack(String key) {
        return transactions(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> {
            self.getObject().transactional(key, PAYLOAD, Trouble.NONE);
            status.setRollbackOnly();
            return Caller.NO_ANSWER;
        });
    }

    /** Undoes the call alone, and goes on. */
    Object undone(String key) {
        return transactions(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> {
            transactions(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(savepoint -> {
                self.getObject().transactional(key, PAYLOAD, Trouble.NONE);
                savepoint.setRollbackOnly();
            });
            return Caller.NO_ANSWER;
        });
    }

    /** Undoes a call that has failed, and repeats it. */
    Object undoneAndRepeated(String key) {
        return transactions(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> {
            swallow(() -> transactions(TransactionDefinition.PROPAGATION_NESTED)
                    .executeWithoutResult(savepoint -> self.getObject().transactional(key, PAYLOAD, Trouble.FAILS)));
            return self.getObject().transactional(key, PAYLOAD, Trouble.NONE);
        });
    }

    /** Repeats a call in a transaction that has the last connection of the pool. */
    Object repeatedWithTheLastConnection(String key) {
        self.getObject().transactional(key, PAYLOAD, Trouble.NONE);
        return transactions(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> {
            List<Connection> others = new ArrayList<>();
            try {
                while (others.size() < pool().getMaximumPoolSize() - 1) {
                    others.add(pool().getConnection());
                }
                return self.getObject().transactional(key, PAYLOAD, Trouble.NONE);
            } catch (SQLException failure) {
                throw new IllegalStateException(failure);
            } finally {
                others.forEach(JdbcUtils::closeConnection);
            }
        });
    }

    private HikariDataSource pool() {
        try {
            return jdbc.getDataSource().unwrap(HikariDataSource.class);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Swallows an error after a call that has joined the transaction of a manager that has no listener. */
    Object inTransactionThatReportsNothing(String key, DataSource dataSource) {
        return new TransactionTemplate(new JdbcTransactionManager(dataSource)).execute(status -> {
            Receipt receipt = self.getObject().transactional(key, PAYLOAD, Trouble.NONE);
            swallow(this::failStatement);
            return receipt;
        });
    }

    /** A message would not be committed with what is written in the database of the application. */
    Object inTransactionOfAnotherDataSource(String key, DataSource other) {
        return new TransactionTemplate(new JdbcTransactionManager(other)).execute(status -> {
            mustFail(key, TransactionMismatchException.class, this::publish);
            return Caller.NO_ANSWER;
        });
    }

    /** A lease cannot be committed before the method in a transaction that is open. */
    Object leasedInTransaction(String key) {
        return transactions(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> {
            mustFail(
                    key,
                    TransactionMismatchException.class,
                    () -> self.getObject().leased(key, PAYLOAD, Trouble.NONE));
            return Caller.NO_ANSWER;
        });
    }

    private Receipt buy(String key, Trouble trouble) {
        Actor.runsAttempt(IdempotencyContext.current().attempt());
        Receipt receipt = Shop.insert(jdbc, key, 5);
        trouble.make(this, key);
        return receipt;
    }

    private TransactionTemplate transactions(int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    private void inNewTransaction(Runnable work) {
        transactions(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(status -> work.run());
    }

    private void publish() {
        outbox.publish(OutboxMessage.of("troubled", "Bought").withoutPayload().build());
    }

    private void failStatement() {
        jdbc.execute("select 1 / 0");
    }

    private void failSerialization() {
        jdbc.execute("do 'begin raise exception ''on purpose'' using errcode = ''40001''; end'");
    }

    private void rollBack() {
        jdbc.execute((Connection connection) -> {
            connection.rollback();
            return null;
        });
    }

    static void swallow(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException swallowed) {
            // As an application does.
        }
    }

    private static void mustFail(String key, Class<? extends RuntimeException> expected, Runnable work) {
        try {
            work.run();
            violations.add(key + ": nothing has refused it");
        } catch (RuntimeException failure) {
            if (!expected.isInstance(failure)) {
                violations.add(key + ": refused with " + failure);
            }
        }
    }

    /** Returns what methods have seen that must not happen. */
    static List<String> violations(String key) {
        return violations.stream()
                .filter(violation -> violation.startsWith(key + ":"))
                .toList();
    }

    /** The trouble that a method makes besides its row. */
    enum Trouble {
        NONE(null) {
            @Override
            void make(TroubledShop shop, String key) {
                // All is well.
            }
        },
        FAILS(FailedException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                throw new FailedException();
            }
        },
        /** May succeed when it is repeated, so that it is no answer that others need to know. */
        FAILS_TO_SERIALIZE(ConcurrencyFailureException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                shop.failSerialization();
            }
        },
        MARKS_ROLLBACK_ONLY(TransactionFailedException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                shop.transactions(TransactionDefinition.PROPAGATION_MANDATORY)
                        .executeWithoutResult(status -> status.setRollbackOnly());
            }
        },
        SWALLOWS_AN_ERROR(TransactionFailedException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                swallow(shop::failStatement);
            }
        },
        SWALLOWS_AN_ERROR_BEFORE_COMMIT(TransactionFailedException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                Callbacks.beforeCommit(() -> swallow(shop::failStatement));
            }
        },
        ROLLS_BACK(TransactionFailedException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                shop.rollBack();
            }
        },
        ROLLS_BACK_AND_CALLS(TransactionFailedException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                shop.rollBack();
                shop.self.getObject().transactional(Shop.otherKey(key), PAYLOAD, NONE);
            }
        },
        REFUSES_COMMIT(IllegalTransactionStateException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                Callbacks.beforeCommit(() -> {
                    throw new IllegalTransactionStateException("on purpose");
                });
            }
        },
        /** A rollback of the call could not undo another transaction. */
        COMMITS_ANOTHER(TransactionMismatchException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                shop.inNewTransaction(() -> Shop.insert(shop.jdbc, Shop.otherKey(key), 5));
            }
        },
        /** Would wait for itself. */
        CALLS_ITSELF(null) {
            @Override
            void make(TroubledShop shop, String key) {
                mustFail(
                        key,
                        ReentrantCallException.class,
                        () -> shop.inNewTransaction(() -> shop.self.getObject().transactional(key, PAYLOAD, NONE)));
            }
        },
        /** Would wait for itself, too. */
        CLAIMS_ITS_OWN_MESSAGE(null) {
            @Override
            void make(TroubledShop shop, String key) {
                shop.inbox.handleOnce(
                        "troubled",
                        key,
                        () -> mustFail(
                                key,
                                ReentrantCallException.class,
                                () -> shop.inNewTransaction(
                                        () -> shop.inbox.claimNew("troubled", List.of(key), id -> id))));
            }
        },
        /** Duplicates in its application wait without a connection. */
        COUNTS_CONNECTIONS(null) {
            @Override
            void make(TroubledShop shop, String key) {
                if (shop.pool().getHikariPoolMXBean().getActiveConnections() > 1) {
                    violations.add(key + ": a duplicate waits with a connection");
                }
            }
        },
        /** Its effect is there, so that it is not repeated. */
        FAILS_AFTER_COMMIT(ConcurrencyFailureException.class) {
            @Override
            void make(TroubledShop shop, String key) {
                Callbacks.afterCommit(() -> shop.inNewTransaction(shop::failSerialization));
            }
        },
        /** Its claim would be part of no transaction. */
        CALLS_AFTER_COMPLETION(null) {
            @Override
            void make(TroubledShop shop, String key) {
                Callbacks.afterCompletion(status -> mustFail(
                        key,
                        TransactionMismatchException.class,
                        () -> shop.self.getObject().transactional(Shop.otherKey(key), PAYLOAD, NONE)));
            }
        },
        /** Nothing would send it. */
        PUBLISHES_AFTER_COMMIT(null) {
            @Override
            void make(TroubledShop shop, String key) {
                Callbacks.afterCommit(() -> mustFail(key, TransactionMismatchException.class, shop::publish));
            }
        };

        private final @Nullable Class<? extends RuntimeException> failure;

        Trouble(@Nullable Class<? extends RuntimeException> failure) {
            this.failure = failure;
        }

        abstract void make(TroubledShop shop, String key);

        /** Returns whether its call ends so. */
        boolean endsWith(@Nullable Throwable thrown) {
            return failure == null ? thrown == null : failure.isInstance(thrown);
        }
    }

    record Offer(UUID id, boolean isBusy) {}

    /** Stores offers, unless they ask for a repeat. */
    static final class Offers implements ResponseCodec {

        @Override
        public boolean supports(Type type) {
            return type == Offer.class;
        }

        @Override
        public String encode(Object response, Type type) {
            return "[\"" + ((Offer) response).id() + "\"]";
        }

        @Override
        public Object decode(String body, Type type) {
            return new Offer(UUID.fromString(body.substring(2, body.length() - 2)), false);
        }

        @Override
        public boolean asksForRepeat(Object response) {
            return ((Offer) response).isBusy();
        }
    }

    /** The failure of a method, which binds nobody. */
    static final class FailedException extends RuntimeException {

        private static final long serialVersionUID = 1;
    }
}
