package io.idempotency.observation;

/**
 * Surrounds each call and each delivery while it runs, so that what happens inside of it is seen as a part of it: for
 * traces. Deliveries of a batch have nothing that could be surrounded. What an observer throws is logged and changes
 * nothing for the caller.
 */
public interface CallObserver {

    /** Observes nothing, at no cost. */
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
     * A call begins, on this thread. Its key is not known yet.
     *
     * @param scope the scope that is called
     * @return is told of the end
     */
    Observed<CallCompleted> callStarted(String scope);

    /**
     * A delivery begins, on this thread. Its message id is not known yet.
     *
     * @param consumer who receives
     * @return is told of the end
     */
    Observed<MessageReceived> deliveryStarted(String consumer);

    /**
     * What is told of the end of a call or delivery, exactly once and on the thread on which that began.
     *
     * @param <E> how it ends
     */
    @FunctionalInterface
    interface Observed<E> {

        /**
         * It returns to its caller.
         *
         * @param event as the listener gets it; where the call joined an outer transaction, with the outcome that it has
         *     if that is committed
         */
        void ended(E event);

        /**
         * One that ignores the end.
         *
         * @param <E> how it ends
         * @return always the same
         */
        @SuppressWarnings("unchecked") // It looks at no event.
        static <E> Observed<E> noOp() {
            return (Observed<E>) NoOpObserved.INSTANCE;
        }
    }
}
