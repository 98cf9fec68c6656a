package io.idempotency.observation;

/**
 * An observer that is notified before and after each call on its thread, so that a trace can contain it. An exception of an
 * observer is logged and does not affect the caller.
 */
@FunctionalInterface
public interface CallObserver {

    /** The observer that does nothing. */
    CallObserver NONE = scope -> Observed.noOp();

    /**
     * Called when a call begins, on its thread. Its key is not known yet.
     *
     * @param scope scope of the call
     * @return observer of its end
     */
    Observed<CallCompleted> callStarted(String scope);

    /**
     * An observer of the end of one call. It is called exactly once, on the thread of the call.
     *
     * @param <E> type of the event
     */
    @FunctionalInterface
    interface Observed<E> {

        /**
         * Called when the call returns.
         *
         * @param event the event that the listener gets. If the call joined an outer transaction, its outcome is the
         *     one that it has if that transaction commits
         */
        void ended(E event);

        /**
         * Returns the observer that does nothing.
         *
         * @param <E> type of the event
         * @return an observer without a state
         */
        static <E> Observed<E> noOp() {
            return event -> {};
        }
    }
}
