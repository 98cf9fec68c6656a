package io.idempotency.proof;

import java.util.Optional;
import java.util.Set;

import io.idempotency.proof.RecordedStatement.Moment;

/**
 * The check that the transaction of a call commits all rows that its method writes. It needs no fault: repeats may hide a row that
 * another transaction commits, if the row may be written twice; but it stays if the call fails for good.
 */
final class OneTransactionCheck {

    private final Baseline baseline;

    private final WriteOrigin origin;

    OneTransactionCheck(Baseline baseline, Writers writers) {
        this.baseline = baseline;
        this.origin = new WriteOrigin(baseline, writers, baseline.run());
    }

    /** Returns a row that another transaction has committed, if any. A leased call has several transactions. */
    Optional<Finding> findWrong() {
        Set<String> claims = origin.claimTransactions();
        if (origin.isLeased() || claims.isEmpty()) {
            return Optional.empty();
        }
        Set<Long> committed = baseline.claimTransactions(baseline.run().changes());
        return baseline.effects(baseline.run().changes()).stream()
                .filter(change -> !committed.contains(change.transaction()))
                .flatMap(change -> origin
                        .writer(change)
                        .filter(writer -> writer.moment() == Moment.IN_CALL && !claims.contains(writer.transaction()))
                        .map(writer -> finding(change, writer))
                        .stream())
                .findFirst();
    }

    private Finding finding(Change change, RecordedStatement writer) {
        String reason = origin.reason(change.table(), Optional.of(writer), false);
        return new Finding(
                "apart: row of " + change.table() + ": " + reason,
                "without a fault a row of " + change.tableName()
                        + " was committed by another transaction than the call's: " + reason + "." + writer.opening()
                        + " The row stays if the call fails afterwards. Let the transaction of the call write it, without"
                        + " REQUIRES_NEW and on the same connection, or publish a message of the outbox. If it is meant to stay,"
                        + " exempt it: ignoreColumns = \"" + change.tableName() + ".*\"",
                "",
                writer.place());
    }
}
