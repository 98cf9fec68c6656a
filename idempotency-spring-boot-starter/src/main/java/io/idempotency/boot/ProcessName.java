package io.idempotency.boot;

import java.lang.management.ManagementFactory;

import org.springframework.core.env.Environment;

/** Names this process in the rows that it writes, so that operators know whom to look at. */
final class ProcessName {

    private ProcessName() {}

    /** Application name, then process and host as {@code pid@host}. */
    static String of(Environment environment) {
        return environment.getProperty("spring.application.name", "application") + " "
                + ManagementFactory.getRuntimeMXBean().getName();
    }
}
