package io.idempotency.sample.demo;

import java.util.Optional;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Lets the fault of a run happen behind the effect of its first execution. */
class FaultInterceptor implements MethodInterceptor {

    private static final String KILL = "select pg_terminate_backend(pg_backend_pid())";

    /** For longer than repeats wait. */
    private static final String HOLD = "select 1 from pg_sleep(8)";

    private final CurrentAttempt current;

    private final JdbcClient jdbc;

    FaultInterceptor(CurrentAttempt current, JdbcClient jdbc) {
        this.current = current;
        this.jdbc = jdbc;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Optional<Attempt> running = current.find();
        running.ifPresent(Attempt::methodStarted);
        try {
            Object result = invocation.proceed();
            switch (running.map(attempt -> attempt.run().takeFault()).orElse(Fault.NONE)) {
                case NONE -> {}
                case THROW -> throw new RequestedFailureException();
                case KILL -> jdbc.sql(KILL).query(Boolean.class).single();
                case HOLD -> jdbc.sql(HOLD).query(Integer.class).single();
            }
            return result;
        } finally {
            running.ifPresent(Attempt::methodEnded);
        }
    }
}
