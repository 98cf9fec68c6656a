package io.idempotency.observation;

/**
 * An observer that is notified before and after each call and each delivery on its thread, so that a trace can contain
 * it. Deliveries of a batch are not observed. An exception of an observer is logged and does not affect the caller.
 */
public interface CallObserver {

    /** The observer that does nothing. */
    CallObserver NONE = new CallObserver() {

        @Override
        public Observed<CallCompleted> callStarted(String scope) {
            return Observed.noOp();
        }

        @Override
        public Observed<MessageReceived> deliveryStarted(String consumer) {
            return Observed.noOp();
        }
    };

    /**
     * Called when a call begins, on its thread. Its key is not known yet.
     *
     * @param scope scope of the call
     * @return observer of its end
     */
    Observed<CallCompleted> callStarted(String scope);

    /**
     * Called when a delivery begins, on its thread. Its message id is not known yet.
     *
     * @param consumer consumer of the message
     * @return observer of its end
     */
    Observed<MessageReceived> deliveryStarted(String consumer);

    /**
     * An observer of the end of one call or delivery. It is called exactly once, on the thread of the call or delivery.
     *
     * @param <E> type of the event
     */
    @FunctionalInterface
    interface Observed<E> {

        /**
         * Called when the call or delivery returns.
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
