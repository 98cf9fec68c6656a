package io.idempotency.boot;

import java.lang.management.ManagementFactory;

import org.springframework.core.env.Environment;

/** The name of this process in the rows that it writes. It shows operators which process claimed a key. */
public final class ProcessName {

    private ProcessName() {}

    /**
     * Returns the name of the application, then process and host as {@code pid@host}.
     *
     * @param environment the application's environment
     * @return the name
     */
    public static String of(Environment environment) {
        return environment.getProperty("spring.application.name", "application") + " "
                + ManagementFactory.getRuntimeMXBean().getName();
    }
}
