package io.idempotency.boot.chain;

import java.util.stream.Stream;

import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/** What an application that cannot start tells its user. */
final class StartupFailure {

    private static final String[] QUIET = {
        "logging.level.org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter=OFF",
        "logging.level.org.springframework.boot.SpringApplication=OFF",
        "logging.level.org.springframework.context=ERROR"
    };

    private final StartupReport report;

    private StartupFailure(StartupReport report) {
        this.report = report;
    }

    /** Starts the application of the other tests with these beans, which must fail. */
    static StartupFailure of(TestDatabase database, Class<?>[] beans, String... properties) {
        try (ConfigurableApplicationContext started = JdbcTestApplication.start(database, beans, quietly(properties))) {
            return fail("The application started with %d beans", started.getBeanDefinitionCount());
        } catch (RuntimeException failure) {
            return of(failure);
        }
    }

    /** What tests assert on need not stand on the console too. */
    static String[] quietly(String... properties) {
        return Stream.concat(Stream.of(QUIET), Stream.of(properties)).toArray(String[]::new);
    }

    static StartupFailure of(Throwable failure) {
        return new StartupFailure(StartupReport.of(failure));
    }

    StartupFailure says(String... problem) {
        assertThat(report.description()).as("description").contains(problem);
        return this;
    }

    StartupFailure doesNotSay(String secret) {
        assertThat(report.description()).as("description").doesNotContain(secret);
        assertThat(report.action()).as("action").doesNotContain(secret);
        return this;
    }

    StartupFailure advises(String... action) {
        assertThat(report.action()).as("action").contains(action);
        return this;
    }
}
