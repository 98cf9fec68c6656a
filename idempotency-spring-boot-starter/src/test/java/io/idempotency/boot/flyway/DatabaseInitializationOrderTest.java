package io.idempotency.boot.flyway;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import javax.sql.DataSource;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What needs a ready database when it is created waits for our tables. */
@PostgresTest(empty = true)
@Tag("full")
class DatabaseInitializationOrderTest {

    private static final String COUNT = "select count(*) from idempotency.idempotency_request";

    private final TestDatabase database;

    DatabaseInitializationOrderTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void forgetEverything() {
        database.jdbc().execute("drop schema if exists idempotency cascade");
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ReadsWithJdbcTemplate.class,
                ReadsWithNamedParameters.class,
                ReadsWithJdbcClient.class,
                SaysThatItDependsOnTheDatabase.class
            })
    void beansWaitThatReadWhenTheyAreCreated(Class<?> reader) {
        try (ConfigurableApplicationContext application = start(reader)) {
            assertThat(application.getBean(reader)).isNotNull();
        }
    }

    @Test
    void entityManagerFactoryWaits() {
        try (ConfigurableApplicationContext application =
                start(WithJpa.class, "spring.jpa.hibernate.ddl-auto=validate")) {
            assertThat(application.getBean(EntityManagerFactory.class).isOpen()).isTrue();
        }
    }

    @Test
    void scriptsThatWaitForJpaStillRun(@TempDir Path directory) throws Exception {
        Path script = Files.writeString(directory.resolve("data.sql"), "create table public.made_by_script (id int)");

        try (ConfigurableApplicationContext application = start(
                WithJpa.class,
                "spring.jpa.defer-datasource-initialization=true",
                "spring.sql.init.mode=always",
                "spring.sql.init.data-locations=" + script.toUri())) {
            assertThat(application.getBean(JdbcTemplate.class).queryForList("select * from public.made_by_script"))
                    .isEmpty();
        }
    }

    private ConfigurableApplicationContext start(Class<?> source, String... properties) {
        return JdbcTestApplication.start(database, new Class<?>[] {source}, properties);
    }

    static class ReadsWithJdbcTemplate {

        ReadsWithJdbcTemplate(JdbcTemplate jdbc) {
            jdbc.queryForObject(COUNT, Integer.class);
        }
    }

    static class ReadsWithNamedParameters {

        ReadsWithNamedParameters(NamedParameterJdbcTemplate jdbc) {
            jdbc.getJdbcOperations().queryForObject(COUNT, Integer.class);
        }
    }

    static class ReadsWithJdbcClient {

        ReadsWithJdbcClient(JdbcClient jdbc) {
            jdbc.sql(COUNT).query(Integer.class).single();
        }
    }

    @DependsOnDatabaseInitialization
    static class SaysThatItDependsOnTheDatabase {

        SaysThatItDependsOnTheDatabase(DataSource dataSource) {
            new JdbcTemplate(dataSource).queryForObject(COUNT, Integer.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({HibernateJpaAutoConfiguration.class, DataSourceInitializationAutoConfiguration.class})
    @EntityScan(basePackageClasses = Request.class)
    static class WithJpa {}

    /** Looks at our table, as nobody should; Hibernate validates that it is there. */
    @Entity
    @Table(schema = "idempotency", name = "idempotency_request")
    static class Request {

        @Id
        private UUID requestId;
    }
}
