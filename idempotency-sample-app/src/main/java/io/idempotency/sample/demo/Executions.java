package io.idempotency.sample.demo;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Records the executions of attempts, slows them down, and makes the fault of a run happen behind the effect of its first one. */
@Component
class Executions {

    private static final String SLEEP = "select 1 from pg_sleep(?)";

    private static final String KILL = "select pg_terminate_backend(pg_backend_pid())";

    /** In seconds. A charge takes a few milliseconds, which nobody sees. */
    private static final double SLOWED = 0.1;

    /** In seconds: for longer than repeats wait. */
    private static final double HELD = 8;

    private final CurrentAttempt current;

    private final JdbcClient jdbc;

    Executions(CurrentAttempt current, JdbcClient jdbc) {
        this.current = current;
        this.jdbc = jdbc;
    }

    /** Executes a method; if the thread serves no attempt, as it is. */
    <T, E extends Throwable> T execute(Method<T, E> method) throws E {
        Attempt attempt = current.find().orElse(null);
        return attempt == null ? method.run() : execute(attempt, method);
    }

    private <T, E extends Throwable> T execute(Attempt attempt, Method<T, E> method) throws E {
        double began = attempt.methodStarted();
        boolean completed = false;
        try {
            T result = method.run();
            sleep(SLOWED);
            switch (attempt.run().takeFault()) {
                case NONE -> {}
                case THROW -> throw new RequestedFailureException();
                case KILL -> jdbc.sql(KILL).query(Boolean.class).single();
                case HOLD -> sleep(HELD);
            }
            completed = true;
            return result;
        } finally {
            attempt.methodEnded(began, completed);
        }
    }

    private void sleep(double seconds) {
        jdbc.sql(SLEEP).param(seconds).query(Integer.class).single();
    }

    /** What an attempt executes. */
    @FunctionalInterface
    interface Method<T, E extends Throwable> {

        T run() throws E;
    }
}
