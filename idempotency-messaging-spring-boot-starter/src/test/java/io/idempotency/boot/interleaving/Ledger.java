package io.idempotency.boot.interleaving;

import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyOperations;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.inbox.Inbox;
import io.idempotency.lock.TransactionLocks;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** Transactions of an application that do several things with the library, and what goes wrong in them. */
class Ledger {

    /** Names entries that are not part of the transaction in which they are made. */
    static final String APART = "apart";

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    private static final String INSERT = "insert into entry (key, name, id, entered_by) values (:key, :name, :id, :by)";

    private final JdbcTemplate jdbc;

    private final TransactionTemplate transactions;

    private final IdempotencyOperations operations;

    private final Inbox inbox;

    private final Outbox outbox;

    private final TransactionLocks locks;

    Ledger(
            JdbcTemplate jdbc,
            PlatformTransactionManager manager,
            IdempotencyOperations operations,
            Inbox inbox,
            Outbox outbox,
            TransactionLocks locks) {
        this.jdbc = jdbc;
        this.transactions = new TransactionTemplate(manager);
        this.operations = operations;
        this.inbox = inbox;
        this.outbox = outbox;
        this.locks = locks;
    }

    static void createTable(JdbcTemplate jdbc) {
        jdbc.execute(
                "create table entry (key text not null, name text not null, id uuid not null, entered_by uuid not null)");
        jdbc.execute("create index on entry (key)");
    }

    /** Makes an attempt, whose parts are there together or not at all. */
    void make(Attempt attempt) {
        transactions.executeWithoutResult(status -> {
            attempt.parts.forEach(part -> part.make(this, attempt));
            attempt.place.put(() -> attempt.trouble.make(this, attempt));
        });
        attempt.isAcknowledged = true;
    }

    /** Makes each part once. */
    void makeEverything(String key) {
        make(new Attempt(key, List.of(Part.values()), Trouble.NONE, Place.AT_THE_END));
    }

    private TransactionTemplate transactions(int propagation) {
        TransactionTemplate others = new TransactionTemplate(transactions.getTransactionManager());
        others.setPropagationBehavior(propagation);
        return others;
    }

    private UUID enter(Attempt attempt, String name) {
        UUID id = UUID.randomUUID();
        attempt.entered.add(name);
        enter(attempt.key, name, id, attempt.id);
        return id;
    }

    private void enter(String key, String name, UUID id, UUID by) {
        jdbc.update("insert into entry (key, name, id, entered_by) values (?, ?, ?, ?)", key, name, id, by);
    }

    private boolean isEntered(String key, String name) {
        return !jdbc.queryForList("select 1 from entry where key = ? and name = ?", key, name)
                .isEmpty();
    }

    private void publish(String deduplicationKey, Object payload) {
        outbox.publish(OutboxMessage.of("ledger", "Entry")
                .payload(payload)
                .deduplicationKey(deduplicationKey)
                .build());
    }

    /** What a transaction does with the library. Each enters a row, and all but messages do so once for a key. */
    enum Part {
        LOCK {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                ledger.locks.acquire("ledger", attempt.key, LONGEST_WAIT);
                if (!ledger.isEntered(attempt.key, name())) {
                    ledger.enter(attempt, name());
                }
                attempt.answers.put(name(), null);
            }
        },
        CALL {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                attempt.answers.put(
                        name(),
                        ledger.operations
                                .call("ledger", attempt.key, "same")
                                .returning(UUID.class)
                                .execute(() -> ledger.enter(attempt, name())));
            }
        },
        CALL_WITHOUT_RESPONSE {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                ledger.operations.call("ledger-quiet", attempt.key, "same").run(() -> ledger.enter(attempt, name()));
                attempt.answers.put(name(), null);
            }
        },
        WRITE {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                UUID id = UUID.randomUUID();
                Object answer = ledger.operations
                        .write("ledger-writes", attempt.key, "same")
                        .statement(INSERT, Map.of("key", attempt.key, "name", name(), "id", id, "by", attempt.id))
                        .respond(UUID.class, id);
                attempt.answers.put(name(), answer);
                if (id.equals(answer)) {
                    attempt.entered.add(name());
                }
            }
        },
        DELIVERY {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                ledger.inbox.handleOnce("ledger", attempt.key, () -> ledger.enter(attempt, name()));
                attempt.answers.put(name(), null);
            }
        },
        BATCH {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                List<String> ids = List.of("a " + attempt.key, "b " + attempt.key);
                ledger.inbox.claimNew("ledger-batches", ids, id -> id).forEach(id -> ledger.enter(attempt, id));
                ids.forEach(id -> attempt.answers.put(id, null));
            }
        },
        MESSAGE {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                ledger.enter(attempt, name());
                ledger.publish(attempt.id.toString(), attempt.key);
            }
        };

        abstract void make(Ledger ledger, Attempt attempt);
    }

    /** What goes wrong in a transaction. */
    enum Trouble {
        NONE {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                // All is well.
            }
        },
        EXCEPTION {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                throw new IllegalStateException("on purpose");
            }
        },
        SWALLOWED_ERROR {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                swallow(() -> ledger.jdbc.execute("select 1 / 0"));
            }
        },
        SWALLOWED_FAILURE_OF_A_CALL {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                swallow(() -> failingCall(ledger, attempt));
            }
        },
        UNDONE_FAILURE_OF_A_CALL {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                swallow(() -> ledger.transactions(TransactionDefinition.PROPAGATION_NESTED)
                        .executeWithoutResult(status -> failingCall(ledger, attempt)));
            }
        },
        SWALLOWED_REFUSAL_OF_A_MESSAGE {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                String deduplicationKey = "refused of " + attempt.id;
                ledger.publish(deduplicationKey, "one");
                swallow(() -> ledger.publish(deduplicationKey, "another one"));
            }
        },
        CALL_IN_A_NEW_TRANSACTION {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                swallow(() -> ledger.transactions(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(status -> ledger.operations
                                .call("ledger", UUID.randomUUID().toString(), "same")
                                .run(() -> ledger.enter(attempt.key, APART, UUID.randomUUID(), UUID.randomUUID()))));
            }
        },
        ROLLBACK {
            @Override
            void make(Ledger ledger, Attempt attempt) {
                ledger.jdbc.execute((Connection connection) -> {
                    connection.rollback();
                    return null;
                });
            }
        };

        abstract void make(Ledger ledger, Attempt attempt);

        private static void failingCall(Ledger ledger, Attempt attempt) {
            ledger.operations
                    .call("ledger", UUID.randomUUID().toString(), "same")
                    .run(() -> {
                        ledger.enter(attempt.key, "never kept", UUID.randomUUID(), attempt.id);
                        throw new IllegalStateException("on purpose");
                    });
        }

        private static void swallow(Runnable work) {
            try {
                work.run();
            } catch (RuntimeException swallowed) {
                // As an application does.
            }
        }
    }

    /** Where it goes wrong. */
    enum Place {
        AT_THE_END {
            @Override
            void put(Runnable trouble) {
                trouble.run();
            }
        },
        BEFORE_COMMIT {
            @Override
            void put(Runnable trouble) {
                Callbacks.beforeCommit(trouble);
            }
        },
        BEFORE_COMPLETION {
            @Override
            void put(Runnable trouble) {
                Callbacks.beforeCompletion(trouble);
            }
        };

        abstract void put(Runnable trouble);
    }

    /** One transaction. */
    static final class Attempt {

        private final UUID id = UUID.randomUUID();

        private final String key;

        private final List<Part> parts;

        private final Trouble trouble;

        private final Place place;

        private final Set<String> entered = new LinkedHashSet<>();

        private final Map<String, Object> answers = new HashMap<>();

        private boolean isAcknowledged;

        Attempt(String key, List<Part> parts, Trouble trouble, Place place) {
            this.key = key;
            this.parts = parts;
            this.trouble = trouble;
            this.place = place;
        }

        /** Returns what this must have entered, if it is there. */
        Set<String> entered() {
            return entered;
        }

        UUID id() {
            return id;
        }

        boolean isAcknowledged() {
            return isAcknowledged;
        }

        /** Returns the names of entries that must be there if this is acknowledged, and the id of those that were answers. */
        Map<String, Object> answers() {
            return answers;
        }

        /** Returns whether nothing goes wrong in it by itself. */
        boolean isUntroubled() {
            return trouble == Trouble.NONE;
        }

        /** Returns whether it goes wrong in it so that it must not be acknowledged, even if the failure is swallowed. */
        boolean mustFail() {
            return place != Place.BEFORE_COMPLETION
                    && (trouble == Trouble.SWALLOWED_ERROR
                            || trouble == Trouble.SWALLOWED_FAILURE_OF_A_CALL
                            || trouble == Trouble.SWALLOWED_REFUSAL_OF_A_MESSAGE);
        }

        List<Part> parts() {
            return parts;
        }

        @Override
        public String toString() {
            return parts + (isUntroubled() ? "" : " with " + trouble + " " + place);
        }
    }
}
