package io.idempotency.boot.transaction;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.flyway.IdempotencyMigrationAutoConfiguration;
import io.idempotency.internal.transaction.PipelinedTransactionManager;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Takes the place of Spring Boot's own transaction manager and of no other, and says so where it does not. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class PipelinedCommitAutoConfigurationTest {

    private static final String NO_EFFECT = "idempotency.pipelined-commit=true has no effect: ";

    private final TestDatabase database;

    private final ApplicationContextRunner application;

    private final ApplicationContextRunner pipelined;

    PipelinedCommitAutoConfigurationTest(TestDatabase database) {
        this.database = database;
        this.application = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        TransactionManagerCustomizationAutoConfiguration.class,
                        IdempotencyAutoConfiguration.class,
                        IdempotencyMigrationAutoConfiguration.class,
                        IdempotencyPipelinedCommitAutoConfiguration.class));
        this.pipelined = application
                .withBean("dataSource", DataSource.class, database::adminDataSource)
                .withPropertyValues("idempotency.pipelined-commit=true");
    }

    @Test
    void isOffByDefault() {
        application
                .withBean("dataSource", DataSource.class, database::adminDataSource)
                .run(context -> assertThat(context)
                        .doesNotHaveBean(IdempotencyPipelinedCommitAutoConfiguration.class)
                        .getBean(TransactionManager.class)
                        .isExactlyInstanceOf(JdbcTransactionManager.class));
    }

    @Test
    void isOffWithEverythingElse() {
        pipelined
                .withPropertyValues("idempotency.enabled=false")
                .run(context -> assertThat(context)
                        .getBean(TransactionManager.class)
                        .isExactlyInstanceOf(JdbcTransactionManager.class));
    }

    @Test
    void takesTheNameAndTheSettingsOfTheOneThatItReplaces(CapturedOutput output) {
        pipelined.withPropertyValues("spring.transaction.default-timeout=7s").run(context -> {
            assertThat(context.getBeansOfType(TransactionManager.class)).containsOnlyKeys("transactionManager");
            PipelinedTransactionManager manager = context.getBean(PipelinedTransactionManager.class);
            assertThat(manager.getDefaultTimeout()).isEqualTo(7);
            assertThat(manager.getDataSource()).isSameAs(context.getBean(DataSource.class));
            assertThat(output).doesNotContain(NO_EFFECT);
        });
    }

    @Test
    void backsOffForATransactionManagerOfTheApplication(CapturedOutput output) {
        pipelined
                .withBean(
                        "own",
                        DataSourceTransactionManager.class,
                        () -> new DataSourceTransactionManager(database.adminDataSource()))
                .run(context -> {
                    assertThat(context).hasSingleBean(TransactionManager.class);
                    assertThat(output)
                            .containsOnlyOnce(NO_EFFECT + "transactions are those of the DataSourceTransactionManager"
                                    + " 'own'");
                });
    }

    @Test
    void backsOffForJpa(CapturedOutput output) {
        pipelined
                .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                .run(context -> {
                    assertThat(context)
                            .getBean(TransactionManager.class)
                            .isExactlyInstanceOf(JpaTransactionManager.class);
                    assertThat(output)
                            .containsOnlyOnce(NO_EFFECT + "transactions are those of the JpaTransactionManager"
                                    + " 'transactionManager'");
                });
    }

    @Test
    void saysThatTheTablesAreInAnotherDatabase(CapturedOutput output) {
        pipelined
                .withBean(
                        "other",
                        DataSource.class,
                        () -> database.dataSource(1),
                        definition -> definition.setPrimary(false))
                .withBean(
                        "main", DataSource.class, database::adminDataSource, definition -> definition.setPrimary(true))
                .withPropertyValues("idempotency.data-source=other")
                .run(context -> {
                    assertThat(context).hasSingleBean(PipelinedTransactionManager.class);
                    assertThat(output)
                            .containsOnlyOnce(NO_EFFECT + "idempotency.data-source names another DataSource than that"
                                    + " of the transaction manager");
                });
    }

    @Test
    void saysThatThereIsNoTransactionManager(CapturedOutput output) {
        pipelined
                .withBean("other", DataSource.class, () -> database.dataSource(1))
                .withPropertyValues("idempotency.data-source=other")
                .run(context -> {
                    assertThat(context).doesNotHaveBean(TransactionManager.class);
                    assertThat(output).containsOnlyOnce(NO_EFFECT + "there is no transaction manager");
                });
    }
}
