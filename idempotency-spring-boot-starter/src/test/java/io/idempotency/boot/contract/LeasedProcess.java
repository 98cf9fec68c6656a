package io.idempotency.boot.contract;

import java.util.concurrent.CountDownLatch;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.IdempotencyContext;
import io.idempotency.boot.JdbcTestApplication;

/** An application in a JVM of its own that makes a leased call, says so in the midst of it, and waits to be killed. */
final class LeasedProcess {

    /** What it says, followed by its downstream key. */
    static final String RUNNING = "The method runs with the downstream key ";

    private LeasedProcess() {}

    /**
     * Makes the call.
     *
     * @param arguments the DataSource, {@code leased.key} and {@code leased.lease} as Spring Boot's options
     */
    public static void main(String[] arguments) {
        ConfigurableApplicationContext application = new SpringApplicationBuilder(
                        JdbcTestApplication.class, LeasedPayments.class, Interruption.class)
                .web(WebApplicationType.NONE)
                .run(arguments);
        application.getBean(Interruption.class).afterEffectDo(LeasedProcess::sayAndWait);
        application
                .getBean(LeasedPayments.class)
                .pay(application.getEnvironment().getRequiredProperty("leased.key"));
    }

    private static void sayAndWait() {
        System.out.println(RUNNING + IdempotencyContext.current().downstreamKey("stripe"));
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
