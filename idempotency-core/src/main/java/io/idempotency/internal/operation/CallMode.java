package io.idempotency.internal.operation;

import io.idempotency.IdempotencyMode;

/** The properties of each mode. Rules and calls ask for a property, and not which mode it is, so that a new mode states it here. */
public enum CallMode {

    /** {@link IdempotencyMode#TRANSACTIONAL}. */
    TRANSACTIONAL(false, false),

    /** {@link IdempotencyMode#OPTIMISTIC}. */
    OPTIMISTIC(false, true),

    /** {@link IdempotencyMode#LEASED}. */
    LEASED(true, false);

    private final boolean commitsClaimFirst;

    private final boolean runsBeforeClaim;

    CallMode(boolean commitsClaimFirst, boolean runsBeforeClaim) {
        this.commitsClaimFirst = commitsClaimFirst;
        this.runsBeforeClaim = runsBeforeClaim;
    }

    /** Returns the mode that an annotation names. */
    static CallMode of(IdempotencyMode mode) {
        return switch (mode) {
            case TRANSACTIONAL -> TRANSACTIONAL;
            case OPTIMISTIC -> OPTIMISTIC;
            case LEASED -> LEASED;
        };
    }

    /**
     * Returns whether the claim is committed before the method runs, and holds the key by a lease. Then no transaction may be open
     * when the method is called. Otherwise claim and effect are committed together, so the method needs a transaction.
     */
    public boolean commitsClaimFirst() {
        return commitsClaimFirst;
    }

    /** Returns whether the method runs before its key is claimed, so that it may run for a key that is taken. */
    boolean runsBeforeClaim() {
        return runsBeforeClaim;
    }
}
