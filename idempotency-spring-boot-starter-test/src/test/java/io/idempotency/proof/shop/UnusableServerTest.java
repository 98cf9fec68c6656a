package io.idempotency.proof.shop;

import java.io.IOException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.springframework.boot.test.context.SpringBootTest;
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
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(OnReplicaLevel.class))
                .execute()
                .testEvents()
                .assertThatEvents()
                .haveExactly(
                        1,
                        event(finishedWithFailure(message(text ->
                                text.contains("its wal_level is 'replica': start it with wal_level=logical")))));
    }

    @SpringBootTest(
            classes = ShopConfiguration.class,
            properties = {"spring.sql.init.mode=always", "spring.jpa.hibernate.ddl-auto=none"})
    static class OnReplicaLevel implements IdempotencyProof {

        @DynamicPropertySource
        static void server(DynamicPropertyRegistry properties) {
            properties.add(
                    "spring.datasource.url", () -> "jdbc:postgresql://127.0.0.1:" + server.getPort() + "/postgres");
            properties.add("spring.datasource.username", () -> "postgres");
        }

        @IdempotencyScenario
        void delta(RightShop shop) {
            shop.delta("key-1");
        }
    }
}
