package io.idempotency.internal.ownership;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.OtherApplicationException;
import io.idempotency.internal.ownership.OwnerStore.ForeignName;
import io.idempotency.internal.transaction.RepeatableFailure;
import io.idempotency.internal.transaction.RequiresNewTransaction;

/**
 * The scopes, consumers and topics of this application. Each name is recorded with the application that uses it first, and
 * refused to others: the declared ones at start-up, those that are only known at run time at their first use in this process.
 */
public final class NameOwners {

    private static final Logger logger = LoggerFactory.getLogger(NameOwners.class);

    /**
     * The names that are kept, of one kind in one database. More are asked for again and not recorded, because names may be made at run
     * time without end.
     */
    private static final int MOST_NAMES = 10_000;

    /** The longest wait for another thread's question while this thread may hold the connection that the other one waits for. */
    private static final long WAIT_SECONDS = 1;

    /** After a failover a pool may hold several connections that are lost. */
    private static final int MOST_TRIES = 3;

    private final String application;

    private final String schema;

    private final OwnerStore store;

    private final RequiresNewTransaction transactions;

    /** The names by database and kind that are known to belong to this application. */
    private final Map<Object, Map<String, Set<String>>> own = new ConcurrentHashMap<>();

    private final ReentrantLock asking = new ReentrantLock();

    /** The number of names that were asked for at run time. */
    private final AtomicInteger asked = new AtomicInteger();

    /**
     * Creates the owners.
     *
     * @param application the name of this application; empty if it has none
     * @param schema the name of the schema, for messages
     */
    public NameOwners(String application, String schema, OwnerStore store, DataSource dataSource) {
        this.application = application;
        this.schema = schema;
        this.store = store;
        this.transactions = RequiresNewTransaction.readCommittedOn(dataSource);
    }

    /** {@return the name of this application, as the table has it; empty if it has none} */
    public String application() {
        return application;
    }

    /**
     * Records this application as the owner of all names that it declares.
     *
     * @param database the only database; {@code null} if there are several, in each of which a name is recorded at its first use, too
     * @throws IdempotencyStartupException if some belong to another application
     */
    public void requireDeclared(Collection<OwnedName> names, @Nullable Object database) {
        if (names.isEmpty()) {
            return;
        }
        if (application.isEmpty()) {
            logger.warn(
                    "This application has no name, so another one without a name that uses the schema '{}' cannot be told"
                            + " from it: each would take the other's keys and messages for its own. Set"
                            + " spring.application.name, or idempotency.application",
                    schema);
        }
        List<ForeignName> others = record(Set.copyOf(names), true);
        if (!others.isEmpty()) {
            throw new IdempotencyStartupException(problem(others), action(others));
        }
        if (database != null) {
            names.forEach(name -> ownNames(database, name.kind()).add(name.name()));
        }
    }

    /**
     * Requires that a name belongs to this application. Asks at the first use in this process, on a connection of its own.
     *
     * @param database the database that the thread works on; {@code null} for a DatabaseResolver's null
     * @throws OtherApplicationException if it belongs to another application
     * @throws DataAccessException if the database could not be asked
     */
    public void require(@Nullable Object database, String kind, String name) {
        Set<String> names = ownNames(database, kind);
        if (names.contains(name)) {
            return;
        }
        if (RequiresNewTransaction.mayHoldConnection()) {
            askInTurn(names, new OwnedName(kind, name));
        } else {
            ask(names, new OwnedName(kind, name));
        }
    }

    private Set<String> ownNames(@Nullable Object database, String kind) {
        // Applications may return null outside of their tenants.
        return own.computeIfAbsent(database == null ? "" : database, first -> new ConcurrentHashMap<>())
                .computeIfAbsent(kind, first -> ConcurrentHashMap.newKeySet());
    }

    /** Threads that each wait for a second connection while they hold a first one would exhaust the pool: one at a time asks. */
    private void askInTurn(Set<String> names, OwnedName name) {
        if (!takeTurn()) {
            logger.warn(
                    "It was not asked in time whether the {} '{}' belongs to this application: its next use asks again",
                    name.kind(),
                    name.name());
            return;
        }
        try {
            if (!names.contains(name.name())) {
                ask(names, name);
            }
        } catch (DataAccessException | TransactionException failure) {
            // Each use would wait again for a second connection, which the pool may not have.
            add(names, name);
            logger.warn(
                    "It is not known whether the {} '{}' belongs to this application, because there was no second connection to"
                            + " ask beside the open transaction: make the pool larger, or use the name outside of a"
                            + " transaction first",
                    name.kind(),
                    name.name(),
                    failure);
        } finally {
            asking.unlock();
        }
    }

    private boolean takeTurn() {
        try {
            return asking.tryLock(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void ask(Set<String> names, OwnedName name) {
        List<ForeignName> others = record(Set.of(name), asked.get() < MOST_NAMES);
        if (!others.isEmpty()) {
            throw new OtherApplicationException(problem(others) + " " + action(others));
        }
        add(names, name);
        if (asked.get() <= MOST_NAMES && asked.getAndIncrement() == MOST_NAMES) {
            logger.warn(
                    "This application has used {} names of scopes, consumers and topics that it does not declare. No more of them"
                            + " are recorded, beginning with the {} '{}': another application may take them. Let a name say which"
                            + " kind of call it is, and the key what tells one call from another",
                    MOST_NAMES,
                    name.kind(),
                    name.name());
        }
    }

    private static void add(Set<String> names, OwnedName name) {
        if (names.size() >= MOST_NAMES) {
            names.clear();
        }
        names.add(name.name());
    }

    private List<ForeignName> record(Set<OwnedName> names, boolean isKept) {
        for (int tries = 1; ; tries++) {
            try {
                return transactions.callAndKeepIf(
                        connection -> store.record(connection, application, names),
                        others -> isKept && others.isEmpty());
            } catch (DataAccessException | TransactionException failure) {
                if (tries == MOST_TRIES || !RepeatableFailure.isOfShortTransaction(failure)) {
                    throw failure;
                }
            }
        }
    }

    private String problem(List<ForeignName> others) {
        return others.stream()
                        .map(other -> "the " + other.name().kind() + " '"
                                + other.name().name() + "' (of '" + other.application() + "')")
                        .collect(Collectors.joining(
                                ", ", "Other applications with the schema '" + schema + "' own ", ""))
                + ". This application "
                + (application.isEmpty() ? "has no name" : "is '" + application + "'")
                + ": each would take the other's keys and messages for its own.";
    }

    private String action(List<ForeignName> others) {
        if (application.isEmpty()) {
            return "Name this application with spring.application.name, or give it a schema of its own with"
                    + " idempotency.schema.";
        }
        String owners = others.stream()
                .map(ForeignName::application)
                .distinct()
                .sorted()
                .collect(Collectors.joining("' or '", "'", "'"));
        String condition = others.stream()
                .map(other -> "(" + literal(other.name().kind()) + ", "
                        + literal(other.name().name()) + ")")
                .collect(Collectors.joining(", ", " where (kind, name) in (", ")"));
        String table = '"' + schema + "\".owner";
        return "Give this application a schema of its own with idempotency.schema. Or, if it shares keys and messages with "
                + owners + " on purpose, give both the same idempotency.application. If "
                + owners + " was renamed or has handed over these names, stop it and run: update "
                + table + " set application = " + literal(application) + condition
                + ". If it does not use them any more, run: delete from " + table + condition + ".";
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }
}
