package io.idempotency.proof;

import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.idempotency.proof.RecordedStatement.Kind;

/** Finds the statement of a run that wrote a row, or of the run without a fault, and says in words how it was written. */
final class WriteOrigin {

    private final Baseline baseline;

    private final Writers writers;

    private final Run run;

    WriteOrigin(Baseline baseline, Writers writers, Run run) {
        this.baseline = baseline;
        this.writers = writers;
        this.run = run;
    }

    /** Returns why a row of a table is missing, or was written too often or differently, as a part of a sentence. */
    String reason(String table, boolean isMissing) {
        return reason(table, writer(table), isMissing);
    }

    String reason(String table, Optional<RecordedStatement> writer, boolean isMissing) {
        String place = at(writer);
        Optional<RecordedStatement> claim = find(RecordedStatement::isLibraryClaim);
        if (claim.isEmpty()) {
            return "no key was claimed, because the method is not @Idempotent or was not called through its Spring proxy"
                    + (place.isEmpty() ? "" : "; it is written" + place);
        }
        if (!baseline.hasStableKeys()) {
            return "calls with the same intent claimed different keys (" + baseline.keysOfBoth()
                    + "), so the key is made inside" + (place.isEmpty() ? "" : "; it is written" + place);
        }
        if (writer.isEmpty()) {
            return "no statement that was seen writes it: a function that makes its SQL, another process, or a connection of"
                    + " no DataSource that is a bean may do so";
        }
        Optional<Writers.Definition> between = between(writer.get(), table).filter(each -> !each.isView());
        if (between.isPresent()) {
            // Such code may write outside of the transaction that it is called in.
            return "it is written by " + between.get() + ", by way of "
                    + writer.get().summary()
                    + (claimTransactions().contains(writer.get().transaction())
                            ? ""
                            : ", " + manner(writer.get(), claim.get(), isMissing))
                    + place;
        }
        if (isMissing && claimTransactions().contains(writer.get().transaction())) {
            return "the transaction of the claim was committed although an exception was thrown in it, which was caught, or"
                    + " which noRollbackFor names; it is written" + place;
        }
        return "it is written "
                + between(writer.get(), table)
                        .map(view -> "through " + view + ", ")
                        .orElse("")
                + manner(writer.get(), claim.get(), isMissing) + place;
    }

    private String manner(RecordedStatement writer, RecordedStatement claim, boolean isMissing) {
        if (!writer.url().equals(claim.url())) {
            return "through another DataSource, which does not commit with the claim,";
        }
        if (all().filter(RecordedStatement::isLibraryClaim)
                .noneMatch(each -> each.thread().equals(writer.thread()))) {
            return "on another thread, outside of the transaction,";
        }
        if (claimTransactions().contains(writer.transaction())) {
            return "in the transaction of the claim,";
        }
        switch (writer.moment()) {
            case LISTENER_AFTER_COMMIT -> {
                return "after the commit, by a @TransactionalEventListener,";
            }
            case LISTENER_AFTER_ROLLBACK -> {
                return "after the rollback, by a @TransactionalEventListener,";
            }
            case AFTER_COMMIT -> {
                return "after the commit, in a TransactionSynchronization,";
            }
            case AFTER_ROLLBACK -> {
                return "after the rollback, in a TransactionSynchronization,";
            }
            case OUT_OF_CALL -> {
                return (isBeforeClaim(writer) ? "before the key is claimed" : "after the call, in another transaction")
                        + (writer.autoCommit() ? ", with auto-commit," : ",");
            }
            case IN_CALL -> {
                // The transaction tells more.
            }
        }
        if (writer.autoCommit()) {
            return "with auto-commit, outside of the transaction,";
        }
        if (!writer.managed()) {
            return "on a connection of its own, which it commits itself,";
        }
        String manner = isLeased()
                ? "before the completion of a leased call, and commits alone,"
                : "in a transaction of its own (REQUIRES_NEW)";
        return isMissing ? manner + ", whose failure was swallowed," : manner;
    }

    private boolean isBeforeClaim(RecordedStatement writer) {
        return (run.statements().contains(writer) ? run : baseline.run())
                .statements().stream()
                        .filter(statement -> statement.isLibraryClaim()
                                && statement.call() == writer.call()
                                && statement.thread().equals(writer.thread()))
                        .findFirst()
                        .map(claim -> claim.number() > writer.number())
                        .orElse(false);
    }

    /** A leased call claims in one transaction and completes in another one. A repeat may try to claim again. */
    boolean isLeased() {
        return baseline.run().statements().stream()
                .filter(RecordedStatement::isLibraryClaim)
                .collect(Collectors.groupingBy(
                        RecordedStatement::call,
                        Collectors.mapping(RecordedStatement::transaction, Collectors.toSet())))
                .values()
                .stream()
                .anyMatch(transactions ->
                        transactions.size() > Math.max(1, baseline.run().keys().size()));
    }

    /** Prefers the statement that is outside of the transaction of the claim. Messages are written by the library. */
    Optional<RecordedStatement> writer(String table) {
        Set<String> claims = claimTransactions();
        return find(statement -> statement.writes(table) && !claims.contains(statement.transaction()))
                .or(() -> find(statement -> isBetween(statement, table) && !claims.contains(statement.transaction())))
                .or(() -> find(statement -> statement.writes(table)))
                .or(() -> find(statement -> isBetween(statement, table)));
    }

    /** Returns the statement that wrote a row of this run: several may write its table, in transactions of which some are rolled back. */
    Optional<RecordedStatement> writer(Change change) {
        Set<String> claims = claimTransactions();
        String transaction = run.transactions().get(change.transaction());
        return find(statement -> !claims.contains(statement.transaction())
                        && (transaction == null
                                ? !run.transactions().containsValue(statement.transaction())
                                : statement.transaction().equals(transaction))
                        && (statement.writes(change.table()) || isBetween(statement, change.table())))
                .or(() -> writer(change.table()));
    }

    private boolean isBetween(RecordedStatement statement, String table) {
        return statement.kind() == Kind.APPLICATION && between(statement, table).isPresent();
    }

    private Optional<Writers.Definition> between(RecordedStatement statement, String table) {
        return statement.writes(table) ? Optional.empty() : writers.between(statement.sql(), table);
    }

    Set<String> claimTransactions() {
        return all().filter(RecordedStatement::isLibraryClaim)
                .map(RecordedStatement::transaction)
                .collect(Collectors.toSet());
    }

    Optional<RecordedStatement> find(Predicate<RecordedStatement> predicate) {
        return all().filter(predicate).findFirst();
    }

    private Stream<RecordedStatement> all() {
        return Stream.concat(run.statements().stream(), baseline.run().statements().stream());
    }

    static @Nullable Place place(Optional<RecordedStatement> statement) {
        return statement.map(RecordedStatement::place).orElse(null);
    }

    static String at(Optional<RecordedStatement> statement) {
        return statement
                .map(RecordedStatement::place)
                .map(place -> " at " + place)
                .orElse("");
    }
}
