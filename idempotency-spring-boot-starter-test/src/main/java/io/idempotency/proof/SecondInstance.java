package io.idempotency.proof;

import java.util.Map;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.SmartContextLoader;

/** A second application context of a test class, on the same database, that ends with the first one. */
final class SecondInstance implements ApplicationListener<ContextClosedEvent> {

    private static final ThreadLocal<@Nullable ApplicationContext> FIRST = new ThreadLocal<>();

    private final ApplicationContext first;

    private final MergedContextConfiguration configuration;

    private @Nullable ApplicationContext second;

    SecondInstance(ApplicationContext first, MergedContextConfiguration configuration) {
        this.first = first;
        this.configuration = configuration;
    }

    static boolean isStarting() {
        return FIRST.get() != null;
    }

    static Map<String, DataSource> dataSourcesOfFirst() {
        ApplicationContext context = FIRST.get();
        return context == null ? Map.of() : context.getBeansOfType(DataSource.class);
    }

    /** Returns the second instance, which is started by the first call. */
    synchronized ApplicationContext get() throws Exception {
        if (second != null) {
            return second;
        }
        if (!(configuration.getContextLoader() instanceof SmartContextLoader loader)) {
            throw new IllegalStateException(
                    "The context loader of " + configuration.getTestClass() + " is no SmartContextLoader");
        }
        FIRST.set(first);
        try {
            ApplicationContext started = loader.loadContext(configuration);
            second = started;
            return started;
        } finally {
            FIRST.remove();
        }
    }

    @Override
    public synchronized void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == first && second instanceof ConfigurableApplicationContext opened) {
            opened.close();
        }
    }
}
