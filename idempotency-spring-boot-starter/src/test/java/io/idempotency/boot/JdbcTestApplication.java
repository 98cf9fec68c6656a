package io.idempotency.boot;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.idempotency.test.TestDatabase;

/**
 * An application with plain JDBC and nothing else of what is on the class path of these tests. Each module names its
 * auto-configurations in a file with the name of this class.
 */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration
public class JdbcTestApplication {

    /**
     * Starts it.
     *
     * @param database that it uses
     * @param beans further configuration or component classes
     * @param properties as {@code name=value}; later ones win
     */
    public static ConfigurableApplicationContext start(TestDatabase database, Class<?>[] beans, String... properties) {
        return start(database.springProperties(), beans, properties);
    }

    /** Starts it on the database that these settings name, or else the environment. */
    public static ConfigurableApplicationContext start(
            Map<String, Object> dataSource, Class<?>[] beans, String... properties) {
        Class<?>[] sources = Arrays.copyOf(beans, beans.length + 1);
        sources[beans.length] = JdbcTestApplication.class;
        return new SpringApplicationBuilder(sources)
                .web(WebApplicationType.NONE)
                .bannerMode(org.springframework.boot.Banner.Mode.OFF)
                .logStartupInfo(false)
                .properties(dataSource)
                .properties("idempotency.verify-responses=true")
                .properties(properties)
                .run();
    }

    /** Returns these properties of a test behind those that its applications have in common. */
    public static String[] and(String[] properties, String... common) {
        return Stream.concat(Stream.of(common), Stream.of(properties)).toArray(String[]::new);
    }
}
