package io.idempotency.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * One {@link TestDatabase} per top-level test class (nested classes share it), dropped after the class. Either by
 * {@link PostgresTest}, or as a static {@code @RegisterExtension} field where {@link #database()} is wanted before
 * there are parameters.
 */
public final class TestDatabaseExtension implements BeforeAllCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(TestDatabaseExtension.class);

    /** Only guards against hanging; Awaitility's own ten seconds are less than a busy machine may take. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static {
        Awaitility.setDefaultTimeout(PATIENCE);
        // Awaitility's own tenth of a second, also before the first look, adds up to minutes.
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
    }

    private volatile TestDatabase database;

    /** The database of the running class; for static {@code @RegisterExtension} fields. */
    public TestDatabase database() {
        if (database == null) {
            throw new IllegalStateException("No database yet: register this extension with a static field");
        }
        return database;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        database = databaseOf(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestDatabase.class;
    }

    @Override
    public TestDatabase resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return databaseOf(context);
    }

    /** The database of a running class; the store closes it at the end of the context that created it. */
    public static TestDatabase databaseOf(ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        TestDatabase.class,
                        key -> isEmpty(context) ? TestDatabase.createEmpty() : TestDatabase.create(),
                        TestDatabase.class);
    }

    private static boolean isEmpty(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(
                        context.getRequiredTestClass(), PostgresTest.class, context.getEnclosingTestClasses())
                .map(PostgresTest::empty)
                .orElse(false);
    }
}
