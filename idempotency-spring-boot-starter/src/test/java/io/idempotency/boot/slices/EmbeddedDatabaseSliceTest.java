package io.idempotency.boot.slices;

import java.util.Arrays;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.TestPropertySource;

import io.idempotency.boot.testing.StartupReport;

import static org.assertj.core.api.Assertions.assertThat;

/** A slice whose DataSource Spring Boot replaces by an embedded database, as it does unless it is told otherwise. */
@Tag("full")
class EmbeddedDatabaseSliceTest {

    @Test
    void reportsWhatToDo() {
        StartupReport report = StartupReport.of(() -> start(OnH2.class));

        assertThat(report.description()).contains("The idempotency tables cannot be kept in H2 2.");
        assertThat(report.action())
                .contains(
                        "@AutoConfigureTestDatabase(replace = Replace.NONE)",
                        "idempotency.enabled = false where the test calls no idempotent method");
    }

    @Test
    void startsWhereTheLibraryIsSwitchedOff() {
        assertThat(Arrays.asList(start(OnH2WithoutTheLibrary.class))).doesNotContain("idempotencyStorage");
    }

    private static String[] start(Class<?> slice) {
        return new TestContextManager(slice)
                .getTestContext()
                .getApplicationContext()
                .getBeanNamesForType(Object.class);
    }

    @JdbcTest
    @TestPropertySource(properties = SliceApplication.NO_MIGRATIONS)
    @ContextConfiguration(classes = SliceApplication.WithJdbc.class)
    static class OnH2 {}

    @JdbcTest
    @TestPropertySource(properties = {"idempotency.enabled=false", SliceApplication.NO_MIGRATIONS})
    @ContextConfiguration(classes = SliceApplication.WithJdbc.class)
    static class OnH2WithoutTheLibrary {}
}
