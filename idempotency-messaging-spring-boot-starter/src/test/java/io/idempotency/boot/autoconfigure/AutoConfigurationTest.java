package io.idempotency.boot.autoconfigure;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.aop.Advisor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.task.TaskExecutor;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.IdempotencyOperations;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.boot.lease.IdempotencyLeaseAutoConfiguration;
import io.idempotency.boot.logging.IdempotencyLoggingAutoConfiguration;
import io.idempotency.boot.messaging.IdempotencyMessagingAutoConfiguration;
import io.idempotency.boot.messaging.logging.IdempotencyMessagingLoggingAutoConfiguration;
import io.idempotency.boot.messaging.metrics.IdempotencyMessagingMetricsAutoConfiguration;
import io.idempotency.boot.messaging.storage.IdempotencyMessagingStorageAutoConfiguration;
import io.idempotency.boot.messaging.tracing.IdempotencyMessagingTracingAutoConfiguration;
import io.idempotency.boot.metrics.IdempotencyMetricsAutoConfiguration;
import io.idempotency.boot.resume.IdempotencyResumeAutoConfiguration;
import io.idempotency.boot.retention.IdempotencyRetentionAutoConfiguration;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.boot.tracing.IdempotencyTracingAutoConfiguration;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.lock.TransactionLocks;
import io.idempotency.messaging.DeliveryObserver;
import io.idempotency.observation.CallObserver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What the starter brings into an application, and when it stays away. */
@PostgresTest
class AutoConfigurationTest {

    private static final Configurations OURS = AutoConfigurations.of(
            IdempotencyAutoConfiguration.class,
            IdempotencyMessagingStorageAutoConfiguration.class,
            IdempotencyMigrationAutoConfiguration.class,
            IdempotencyLeaseAutoConfiguration.class,
            IdempotencyLoggingAutoConfiguration.class,
            IdempotencyMetricsAutoConfiguration.class,
            IdempotencyTracingAutoConfiguration.class,
            IdempotencyMessagingAutoConfiguration.class,
            IdempotencyMessagingLoggingAutoConfiguration.class,
            IdempotencyMessagingMetricsAutoConfiguration.class,
            IdempotencyMessagingTracingAutoConfiguration.class,
            IdempotencyResumeAutoConfiguration.class,
            IdempotencyRetentionAutoConfiguration.class);

    private final TestDatabase database;

    private final ApplicationContextRunner withoutJackson;

    private final ApplicationContextRunner withoutStarter;

    private final ApplicationContextRunner application;

    AutoConfigurationTest(TestDatabase database) {
        this.database = database;
        this.withoutJackson = new ApplicationContextRunner()
                .withBean(DataSource.class, database::adminDataSource)
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcClientAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class))
                .withUserConfiguration(Notebook.class);
        this.withoutStarter = withoutJackson.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class));
        this.application = withoutStarter.withConfiguration(OURS);
    }

    @BeforeAll
    static void createTable(TestDatabase database) {
        Notebook.createTable(database.jdbc());
    }

    @AfterEach
    void forgetNotes() {
        database.jdbc().execute("truncate note; drop schema if exists idempotency cascade");
    }

    @ParameterizedTest
    @ValueSource(classes = {IdempotencyOperations.class, TransactionLocks.class})
    <T> void beansOfTheApplicationReplaceOurs(Class<T> type) {
        T own = Mockito.mock(type);

        application
                .withBean("own", type, () -> own)
                .run(context -> assertThat(context).getBean(type).isSameAs(own));
    }

    @Test
    void disabledItLeavesTheApplicationAsItWas() {
        withoutStarter.run(without -> application
                .withPropertyValues("idempotency.enabled=false")
                .run(disabled -> {
                    assertThat(disabled.getBeanDefinitionNames())
                            .containsExactlyInAnyOrder(without.getBeanDefinitionNames());

                    Notebook notebook = disabled.getBean(Notebook.class);
                    assertThat(notebook.write("key", "text")).isNotEqualTo(notebook.write("key", "text"));
                    assertThat(database.jdbc().queryForList("select 1 from pg_namespace where nspname = 'idempotency'"))
                            .isEmpty();
                }));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TaskScheduler.class,
                TaskExecutor.class,
                ScheduledExecutorService.class,
                Flyway.class,
                DataSource.class,
                Advisor.class,
                JsonMapper.class,
                PlatformTransactionManager.class
            })
    @Tag("full")
    void addsNoBeanThatWouldChangeWhatTheApplicationGets(Class<?> type) {
        withoutStarter.run(without -> application.run(
                with -> assertThat(candidates(with, type)).containsExactlyElementsOf(candidates(without, type))));
    }

    private static List<String> candidates(AssertableApplicationContext context, Class<?> type) {
        ConfigurableApplicationContext application = context.getSourceApplicationContext();
        return Arrays.stream(application.getBeanNamesForType(type))
                .filter(name -> !application.getBeanFactory().containsBeanDefinition(name)
                        || application.getBeanFactory().getBeanDefinition(name).isAutowireCandidate())
                .toList();
    }

    @Test
    void worksWithoutAJsonMapper() {
        withoutJackson.withConfiguration(OURS).run(context -> {
            assertThat(context).doesNotHaveBean(JsonMapper.class);
            requireIdempotent(context.getBean(Notebook.class));
        });
    }

    @Test
    void worksWithoutMicrometer() {
        application.withClassLoader(new FilteredClassLoader("io.micrometer")).run(context -> {
            assertThat(context)
                    .doesNotHaveBean("idempotencyCallMeters")
                    .doesNotHaveBean("idempotencyDeliveryMeters")
                    .doesNotHaveBean(CallObserver.class)
                    .doesNotHaveBean(DeliveryObserver.class);
            requireIdempotent(context.getBean(Notebook.class));
        });
    }

    @Test
    void worksWithoutATransactionManager() {
        new ApplicationContextRunner()
                .withBean(DataSource.class, database::adminDataSource)
                .withConfiguration(AutoConfigurations.of(JdbcClientAutoConfiguration.class))
                .withConfiguration(OURS)
                .run(context -> {
                    IdempotencyOperations operations = context.getBean(IdempotencyOperations.class);
                    String first = operations.execute("scope", "key", "request", String.class, () -> "first");

                    assertThat(operations.execute("scope", "key", "request", String.class, () -> "second"))
                            .isEqualTo(first);
                });
    }

    @Test
    void firstCodecOfTheApplicationThatSupportsTheTypeIsUsed() {
        application.withUserConfiguration(Codecs.class).run(context -> {
            IdempotencyOperations operations = context.getBean(IdempotencyOperations.class);
            operations.execute("text", "key", "request", String.class, () -> "response");
            operations.execute("number", "key", "request", Integer.class, () -> 17);
            operations.execute("list", "key", "request", List.class, () -> List.of(1));

            assertThat(bodyOf("text")).isEqualTo("\"first: response\"");
            assertThat(bodyOf("number")).isEqualTo("\"second: 17\"");
            assertThat(bodyOf("list")).isEqualTo("[1]");
        });
    }

    private void requireIdempotent(Notebook notebook) {
        Notebook.assertIdempotent(notebook, database.jdbc());
    }

    private String bodyOf(String scope) {
        return database.jdbc()
                .queryForObject(
                        "select response_body::text from idempotency.idempotency_request where idempotency_scope = ?",
                        String.class,
                        scope);
    }

    @Configuration(proxyBeanMethods = false)
    static class Codecs {

        @Bean
        @Order(2)
        ResponseCodec second() {
            return new Prefixing("second: ", Set.of(String.class, Integer.class));
        }

        @Bean
        @Order(1)
        ResponseCodec first() {
            return new Prefixing("first: ", Set.of(String.class));
        }
    }

    private record Prefixing(String prefix, Set<Type> types) implements ResponseCodec {

        @Override
        public boolean supports(Type type) {
            return types.contains(type);
        }

        @Override
        public String encode(Object response, Type type) {
            return '"' + prefix + response + '"';
        }

        @Override
        public Object decode(String body, Type type) {
            String text = body.substring(1 + prefix.length(), body.length() - 1);
            return type == Integer.class ? Integer.valueOf(text) : text;
        }
    }
}
