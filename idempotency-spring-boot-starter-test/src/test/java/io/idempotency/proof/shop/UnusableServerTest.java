package io.idempotency.proof.shop;

import java.io.IOException;
import java.util.stream.Stream;
import javax.sql.DataSource;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

/** A server of the test that cannot tell what was committed is named, with what is to be changed. */
@Tag("full")
class UnusableServerTest {

    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws IOException {
        server = EmbeddedPostgres.start();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @Test
    void theSettingIsNamed() {
        assertFails(
                OnReplicaLevel.class,
                "(spring.datasource.url or a @ServiceConnection of the DataSource bean 'dataSource')",
                "its wal_level is 'replica': start it with wal_level=logical",
                "If the test names no database");
    }

    @Test
    void aDataSourceOfTheApplicationIsNamed() {
        assertFails(
                OnItsOwnDataSource.class,
                "(the application's own DataSource bean 'ledger' of " + OfTheApplication.class.getName() + ")",
                "its wal_level is 'replica': start it with wal_level=logical",
                "spring.datasource.url if it reads that");
    }

    private static void assertFails(Class<?> proof, String... parts) {
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(proof))
                .execute()
                .testEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(finishedWithFailure(
                                message(text -> Stream.of(parts).allMatch(text::contains)))));
    }

    @SpringBootTest(classes = OfSpringBoot.class)
    static class OnReplicaLevel implements IdempotencyProof {

        @DynamicPropertySource
        static void server(DynamicPropertyRegistry properties) {
            properties.add(
                    "spring.datasource.url", () -> "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres");
            properties.add("spring.datasource.username", () -> "postgres");
        }

        @IdempotencyScenario
        void read(JdbcTemplate jdbc) {
            jdbc.execute("select 1");
        }
    }

    @SpringBootTest(classes = OfTheApplication.class)
    static class OnItsOwnDataSource implements IdempotencyProof {

        @IdempotencyScenario
        void read(JdbcTemplate jdbc) {
            jdbc.execute("select 1");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OfSpringBoot {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OfTheApplication {

        @Bean
        DataSource ledger() {
            return server.getPostgresDatabase();
        }
    }
}
