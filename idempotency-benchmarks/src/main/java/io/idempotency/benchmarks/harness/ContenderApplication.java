package io.idempotency.benchmarks.harness;

import java.util.List;
import java.util.Locale;

import com.zaxxer.hikari.HikariDataSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.benchmarks.effect.Effect;

/** A plain JDBC application with a database of its own, to which a contender adds its beans. All have equal pools. */
public final class ContenderApplication implements AutoCloseable {

    private final HikariDataSource pool;

    private final JdbcTemplate admin;

    private final ConfigurableApplicationContext context;

    /**
     * Starts it.
     *
     * @param name of the contender
     * @param ddl of its own tables; may be empty
     * @param beans and configurations of its own
     * @param properties of its own, as {@code name=value}
     */
    public ContenderApplication(
            BenchmarkServer server, String name, String ddl, List<Class<?>> beans, List<String> properties) {
        String database = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "_");
        server.createDatabase(database);
        admin = server.jdbc(database);
        admin.execute(Effect.DDL + ddl);
        pool = server.pool(database);
        context = new SpringApplicationBuilder(Plain.class, Effect.class)
                .sources(beans.toArray(Class<?>[]::new))
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .initializers(starting -> starting.getBeanFactory().registerSingleton("dataSource", pool))
                .properties(properties.toArray(String[]::new))
                .run();
    }

    /** Returns the only bean of a type. */
    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Returns a bean. */
    public <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    /**
     * Returns the number of effects that were made.
     *
     * @throws IllegalStateException if the two halves of the effect disagree
     */
    public long effects() {
        long payments = number("select count(*) from payment");
        long cents = number("select sum(cents)::bigint from account");
        if (payments != cents) {
            throw new IllegalStateException(
                    payments + " payments were inserted, but accounts changed " + cents + " times");
        }
        return payments;
    }

    /** Returns the number of messages whose handler was run. */
    public long deliveries() {
        return number("select count(*) from delivered");
    }

    private long number(String sql) {
        Long number = admin.queryForObject(sql, Long.class);
        return number == null ? 0 : number;
    }

    /** Leaves no dead rows behind, as autovacuum does in a while without work. */
    public void settle() {
        admin.execute("vacuum analyze");
    }

    @Override
    public void close() {
        context.close();
        pool.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        TransactionAutoConfiguration.class
    })
    static class Plain {}
}
