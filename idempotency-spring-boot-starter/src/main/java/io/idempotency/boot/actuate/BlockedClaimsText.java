package io.idempotency.boot.actuate;

import java.util.stream.Collectors;

import io.idempotency.BlockedClaims;
import io.idempotency.BlockedClaims.BlockedClaim;

/** The description of blocked claims, which may be the reason that nothing is stored for a key. */
final class BlockedClaimsText {

    private BlockedClaimsText() {}

    static String of(BlockedClaims blocked) {
        String waits = blocked.claims().isEmpty()
                ? "no statement waits for one now."
                : blocked.claims().stream().map(BlockedClaimsText::of).collect(Collectors.joining("; ", "", "."));
        return "It may be held by a running transaction, which shows nothing before its commit: " + waits
                + (blocked.hiddenBackends() == 0
                        ? ""
                        : " The role of the application may not see what " + blocked.hiddenBackends()
                                + " other backends do.");
    }

    private static String of(BlockedClaim claim) {
        return "backend " + claim.backend() + " (" + claim.application() + ") has waited since " + claim.since()
                + " for " + blocker(claim);
    }

    private static String blocker(BlockedClaim claim) {
        if (claim.blocker() == 0) {
            return "a prepared transaction";
        }
        if (claim.blockerState() == null) {
            return "backend " + claim.blocker() + ", whose state is not visible";
        }
        return "backend " + claim.blocker() + " (" + claim.blockerApplication() + ", " + claim.blockerState()
                + ", transaction since " + claim.blockerSince() + ")";
    }
}
