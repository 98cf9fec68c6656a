package io.idempotency.sample.cluster;

import java.util.List;

/** A broken promise, and what shows it. */
record Violation(Rule rule, List<Object> evidence) {

    @Override
    public String toString() {
        return rule + ": " + evidence;
    }

    /** What is promised. */
    enum Rule {
        ANSWERS_OF_A_KEY_ARE_EQUAL,
        ACKNOWLEDGED_HAS_ITS_EFFECT,
        EFFECT_AT_MOST_ONCE,
        EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED,
        RECORDED_FAILURE_HAS_NO_EFFECT,
        EFFECT_WAS_ASKED_FOR,
        REFUSAL_HAS_A_REASON,
        PAYOUT_IS_WITHDRAWN_AND_TRANSFERRED,
        VERSIONS_HAVE_NO_GAP,
        BALANCE_IS_SUM_OF_EVENTS,
        BALANCE_IS_NOT_NEGATIVE,
        PROJECTION_FOLLOWS_EVENTS,
        OUTBOX_IS_DRAINED,
        EVENT_IS_TOLD_ONCE,
        MESSAGE_HAS_ONE_CONTENT,
        PAYMENT_IS_WRITTEN_WITH_ITS_EVENT,
        CUSTOMER_IS_NOTIFIED_ONCE,
        WEBHOOK_IS_HANDLED_ONCE,
        INVOICE_NEVER_GOES_BACK,
        PAYMENT_IS_SETTLED_IF_PAID
    }
}
