package io.idempotency.sample.cluster;

import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.FinalState.Transfer;
import io.idempotency.sample.cluster.Violation.Rule;

/** One payout: money leaves the account once, and arrives once or comes back once. */
final class PayoutRules {

    private final Violations violations;

    PayoutRules(Violations violations) {
        this.violations = violations;
    }

    void check(Intent payout) {
        int withdrawn = payout.events().size();
        int returned = payout.returns().size();
        int transferred = payout.transfers().size();
        boolean atMostOnce = returned <= 1 && transferred <= 1;
        boolean inOrder = withdrawn >= returned + transferred;
        boolean finished = payout.failed()
                ? transferred == 0 && returned == withdrawn
                : !payout.isAcknowledged() || withdrawn == 0 || (transferred > 0 && returned == 0);
        violations.require(
                atMostOnce && inOrder && finished,
                Rule.PAYOUT_IS_WITHDRAWN_AND_TRANSFERRED,
                payout,
                payout.failed() ? "failed" : payout.isAcknowledged() ? "acknowledged" : "without an answer",
                withdrawn + " withdrawn, " + transferred + " transferred, " + returned + " put back");
        payout.transfers().forEach(transfer -> checkContent(payout, transfer));
        payout.returns().forEach(event -> checkContent(payout, event));
    }

    private void checkContent(Intent payout, Transfer transfer) {
        violations.require(
                transfer.accountId().equals(payout.command().accountId())
                        && transfer.amountCents() == payout.command().amountCents(),
                Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED,
                payout,
                payout.command(),
                transfer);
    }

    private void checkContent(Intent payout, Event event) {
        violations.require(
                event.scope().equals(payout.command().operation().scope())
                        && event.accountId().equals(payout.command().accountId())
                        && event.amountCents() == payout.command().amountCents(),
                Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED,
                payout,
                payout.command(),
                event);
    }
}
