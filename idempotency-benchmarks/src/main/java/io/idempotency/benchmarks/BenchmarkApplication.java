package io.idempotency.benchmarks;

import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** A plain JDBC application, to which a contender adds its own configuration and nobody else's. */
@Configuration(proxyBeanMethods = false)
@ImportAutoConfiguration({
    AopAutoConfiguration.class,
    DataSourceAutoConfiguration.class,
    DataSourceTransactionManagerAutoConfiguration.class,
    JacksonAutoConfiguration.class,
    JdbcTemplateAutoConfiguration.class,
    TransactionAutoConfiguration.class
})
class BenchmarkApplication {

    /** Threads of the publishers and of those who deliver, with some connections more for the relay. */
    private static final int POOL_SIZE = 12;

    static ConfigurableApplicationContext start(
            Map<String, Object> dataSource, Deliveries deliveries, List<Class<?>> configuration, String... properties) {
        return new SpringApplicationBuilder(configuration.toArray(Class<?>[]::new))
                .sources(BenchmarkApplication.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .initializers(context -> context.getBeanFactory().registerSingleton("deliveries", deliveries))
                .properties(dataSource)
                .properties(
                        "spring.datasource.hikari.maximum-pool-size=" + POOL_SIZE,
                        "spring.datasource.hikari.minimum-idle=1")
                .properties(properties)
                .run();
    }

    /** Starts it on connections that are there already. */
    static ConfigurableApplicationContext start(
            DataSource connections, EffectSettings settings, List<Class<?>> configuration, String... properties) {
        return new SpringApplicationBuilder(configuration.toArray(Class<?>[]::new))
                .sources(BenchmarkApplication.class, CallEffect.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .initializers(context -> {
                    context.getBeanFactory().registerSingleton("dataSource", connections);
                    context.getBeanFactory().registerSingleton("effectSettings", settings);
                })
                .properties(properties)
                .run();
    }

    @Bean
    Effect effect(JdbcTemplate jdbc) {
        return new Effect(jdbc);
    }
}
