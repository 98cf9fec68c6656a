package io.idempotency.postgres;

import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.Completion;
import io.idempotency.codec.ResponseMapper;

/** Where new responses are written. Whoever reads one looks where the row of its key says. */
final class ResponsePlace {

    private final ClaimInsert completed;

    private final ClaimInsert inTransaction;

    private final ClaimInsert inTransactionForLess;

    private final ClaimInsert leased;

    private final ClaimInsert leasedForLess;

    private final ClaimTakeover takeover;

    private final ClaimTakeover takeoverInRow;

    private final CompletionStatement completion;

    private final CompletionStatement completionWithReference;

    private final CompletionStatement completionOfLease;

    private final CompletionStatement completionOfLeaseWithoutResponse;

    private ResponsePlace(
            Schema schema,
            ClaimInsert inTransaction,
            ClaimInsert inTransactionForLess,
            ClaimTakeover takeover,
            CompletionStatement completion,
            CompletionStatement completionWithReference,
            CompletionStatement completionOfLease) {
        this.completed = ClaimInsert.completed(schema);
        this.inTransaction = inTransaction;
        this.inTransactionForLess = inTransactionForLess;
        this.leased = ClaimInsert.leased(schema);
        this.leasedForLess = ClaimInsert.leasedForLess(schema);
        this.takeover = takeover;
        this.takeoverInRow = ClaimTakeover.inRow(schema);
        this.completion = completion;
        this.completionWithReference = completionWithReference;
        this.completionOfLease = completionOfLease;
        this.completionOfLeaseWithoutResponse = CompletionStatement.ofLeaseInRow(schema);
    }

    /** The row of the key. */
    static ResponsePlace row(Schema schema) {
        return new ResponsePlace(
                schema,
                ClaimInsert.inRow(schema),
                ClaimInsert.inRowForLess(schema),
                ClaimTakeover.inRow(schema),
                CompletionStatement.inRow(schema),
                CompletionStatement.inRowWithReference(schema),
                CompletionStatement.ofLeaseInRow(schema));
    }

    /** The table that is in partitions. */
    static ResponsePlace table(Schema schema) {
        ClaimInsert insert = ClaimInsert.inTable(schema);
        CompletionStatement completion = CompletionStatement.inTable(schema);
        return new ResponsePlace(
                schema,
                insert,
                insert,
                ClaimTakeover.inTable(schema),
                completion,
                completion,
                CompletionStatement.ofLeaseInTable(schema));
    }

    /** A response that is known with the claim is none that would be worth a row of its own. */
    ClaimInsert insertOf(ClaimRequest request) {
        if (request.completeAtOnce()) {
            return completed;
        }
        boolean goesWithItsKey = request.responseRetention() == null;
        if (request.lease() == null) {
            return goesWithItsKey ? inTransaction : inTransactionForLess;
        }
        return goesWithItsKey ? leased : leasedForLess;
    }

    ClaimTakeover takeoverOf(ClaimRequest request) {
        return request.completeAtOnce() || request.lease() != null ? takeoverInRow : takeover;
    }

    /** The row of a lease is updated in any case, so that what is no response can stay there. */
    CompletionStatement completionOf(Completion completed) {
        if (completed.fence().token() == null) {
            return completed.hasReference() ? completionWithReference : completion;
        }
        return completed.responseBody().equals(ResponseMapper.NULL_BODY)
                ? completionOfLeaseWithoutResponse
                : completionOfLease;
    }
}
