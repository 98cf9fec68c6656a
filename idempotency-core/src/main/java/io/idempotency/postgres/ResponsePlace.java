package io.idempotency.postgres;

import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.Completion;

/** Where new responses are written. Whoever reads one looks where the row of its key says. */
final class ResponsePlace {

    private final ClaimStatements inRow;

    private final ClaimStatements withoutLease;

    private final ClaimStatements withLease;

    private ResponsePlace(ClaimStatements inRow, ClaimStatements withoutLease, ClaimStatements withLease) {
        this.inRow = inRow;
        this.withoutLease = withoutLease;
        this.withLease = withLease;
    }

    /** The row of the key. */
    static ResponsePlace row(Schema schema) {
        ClaimStatements inRow = ClaimStatements.inRow(schema);
        return new ResponsePlace(inRow, inRow, inRow);
    }

    /** The table that is in partitions. */
    static ResponsePlace table(Schema schema) {
        return new ResponsePlace(
                ClaimStatements.inRow(schema),
                ClaimStatements.inTable(schema),
                ClaimStatements.inTableAfterLease(schema));
    }

    /** A response that is known with the claim is none that would be worth a row of its own. */
    ClaimStatements of(ClaimRequest request) {
        if (request.completeAtOnce()) {
            return inRow;
        }
        return request.lease() == null ? withoutLease : withLease;
    }

    /** The row of a lease is updated in any case, so that what is no response can stay there. */
    ClaimStatements of(Completion completion) {
        if (completion.fence().token() == null) {
            return withoutLease;
        }
        return ClaimStatements.hasNoResponse(completion) ? inRow : withLease;
    }
}
