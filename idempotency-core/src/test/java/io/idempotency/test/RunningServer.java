package io.idempotency.test;

/** A started PostgreSQL server, wherever it comes from. */
interface RunningServer {

    ServerAddress address();

    default boolean canRestart() {
        return false;
    }

    /** Crashes the server and starts it again on the same data and port. */
    default void restartImmediately() {
        throw new UnsupportedOperationException("Only the embedded server can be restarted: run this test with -D"
                + TestDatabaseServer.KIND_PROPERTY + "=embedded, or skip it unless canRestart()");
    }
}
