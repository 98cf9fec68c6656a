package io.idempotency.boot.contract;

import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.RestClient;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.boot.client.IdempotencyKeyInterceptor;
import io.idempotency.boot.testing.ScriptedServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The keys of the requests that an idempotent method sends to another system. */
@ContractTest
class RequestsOfCallTest {

    @AutoClose
    private final ScriptedServer server = new ScriptedServer();

    private final RestClient client = RestClient.builder()
            .requestInterceptor(new IdempotencyKeyInterceptor("provider"))
            .build();

    private final Calls calls;

    RequestsOfCallTest(ContractApplications applications) throws IOException {
        calls = applications
                .start(List.of(Calls.class), "idempotency.retry.delay=5ms")
                .bean(Calls.class);
    }

    @AfterEach
    void reset() {
        server.reset();
    }

    private void send(String path) {
        send(client, server, path);
    }

    private static void send(RestClient by, ScriptedServer to, String path) {
        by.post().uri(URI.create(to.url() + path)).body("5 EUR").retrieve().toBodilessEntity();
    }

    /** Servers remember these keys, so that a release must never change their names. */
    @Test
    void theKeyIsDerivedFromSystemMethodAndPath() {
        calls.leased("order-1", () -> {
            send("/refunds/a%20b?at=1");
            assertThat(server.keys())
                    .containsExactly(IdempotencyContext.current().downstreamKey("provider POST /refunds/a%20b"));
        });
    }

    /** With another address of the server, such as after a restart with another configuration. */
    @Test
    void everyAttemptAtTheCallSendsTheSameKey() throws IOException {
        assertThatThrownBy(() -> calls.leased("order-1", () -> {
                    send("/refunds?at=1");
                    throw new IllegalStateException("crash");
                }))
                .hasMessage("crash");

        try (ScriptedServer moved = new ScriptedServer()) {
            calls.leased("order-1", () -> send(client, moved, "/refunds?at=2"));

            assertThat(moved.keys()).isEqualTo(server.keys()).hasSize(1);
        }
    }

    @Test
    void aRunOfTheMethodThatWasRolledBackIsNoOtherRequest() {
        AtomicInteger runs = new AtomicInteger();

        calls.transactional("order-1", () -> {
            send("/refunds");
            if (runs.incrementAndGet() == 1) {
                throw new CannotAcquireLockException("on purpose", new SQLException("on purpose", "40001"));
            }
        });

        assertThat(runs).hasValue(2);
        assertThat(server.keys()).hasSize(2);
        assertThat(server.keys().get(1)).isEqualTo(server.keys().get(0));
    }

    @Test
    void otherPathsMethodsAndCallsHaveOtherKeys() {
        calls.leased("order-1", () -> {
            send("/refunds");
            send("/payouts");
            client.put().uri(server.url() + "/refunds").retrieve().toBodilessEntity();
        });
        calls.leased("order-2", () -> send("/refunds"));

        assertThat(server.keys()).hasSize(4).doesNotHaveDuplicates();
    }

    /** A server that remembers keys would answer the second label like the first. */
    @Test
    void twoStepsThatSendToOnePathHaveTwoKeysWhichAreTheSameInEachAttempt() {
        for (int attempt = 1; attempt <= 2; attempt++) {
            assertThatThrownBy(() -> calls.leased("order-1", () -> {
                        IdempotencyContext call = IdempotencyContext.current();
                        assertThatThrownBy(() -> call.step("label 1", () -> {
                                    send("/labels");
                                    throw new IllegalStateException("not recorded");
                                }))
                                .hasMessage("not recorded");
                        call.step("label 2", () -> {
                            send("/labels");
                            assertThat(server.keys()).endsWith(call.downstreamKey("provider POST /labels"));
                            throw new IllegalStateException("crash");
                        });
                    }))
                    .hasMessage("crash");
        }

        List<String> keys = server.keys();
        assertThat(keys).hasSize(4);
        assertThat(keys.get(0)).isEqualTo(keys.get(2)).isNotEqualTo(keys.get(1));
        assertThat(keys.get(1)).isEqualTo(keys.get(3));
    }

    @Test
    void aSecondRequestOfOneStepThatWouldHaveTheSameKeyIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> calls.leased("order-1", () -> {
                    send("/labels");
                    IdempotencyContext.current().step("labels", () -> {
                        send("/labels");
                        send("/labels");
                    });
                }))
                .withMessageContaining("give each its own key");

        assertThat(server.keys()).hasSize(2).doesNotHaveDuplicates();
    }

    @Test
    void aSecondRequestThatWouldHaveTheSameKeyIsRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> calls.leased("order-1", () -> {
                    send("/refunds");
                    send("/refunds");
                }))
                .withMessageContaining("give each its own key");

        assertThat(server.requests()).hasSize(1);
    }

    /** The server may have done the first one, and would answer the second with its result. */
    @Test
    void aRequestWithOtherContentIsRefusedAfterALostAnswer() {
        server.thenStatus(500, "");

        assertThatIllegalStateException()
                .isThrownBy(() -> calls.leased("order-1", () -> {
                    assertThatThrownBy(() -> send("/refunds?item=book")).isInstanceOf(HttpServerErrorException.class);
                    send("/refunds?item=pen");
                }))
                .withMessageContaining("give each its own key");

        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void anotherClientOfTheSystemSendsNoSecondRequestEither() {
        RestClient other = RestClient.builder()
                .requestInterceptor(new IdempotencyKeyInterceptor("provider"))
                .build();

        assertThatIllegalStateException()
                .isThrownBy(() -> calls.leased("order-1", () -> {
                    send("/refunds");
                    send(other, server, "/refunds");
                }));

        assertThat(server.requests()).hasSize(1);
    }

    @Test
    void severalRequestsToOnePathBringTheirOwnKeys() {
        calls.leased("order-1", () -> {
            send("/refunds");
            for (String item : List.of("book", "pen")) {
                client.post()
                        .uri(server.url() + "/refunds")
                        .header("Idempotency-Key", IdempotencyContext.current().downstreamKey("refund " + item))
                        .retrieve()
                        .toBodilessEntity();
            }
        });

        assertThat(server.keys()).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    void theApplicationMayRepeatARequestThatHasFailed() {
        server.thenStatus(500, "");

        calls.leased("order-1", () -> {
            assertThatThrownBy(() -> send("/refunds")).isInstanceOf(HttpServerErrorException.class);
            send("/refunds");
        });

        assertThat(server.keys()).hasSize(2);
        assertThat(server.keys().get(1)).isEqualTo(server.keys().get(0));
    }

    @Test
    void aThreadOfTheMethodsOwnHasNoKey() {
        calls.leased(
                "order-1",
                () -> assertThatThrownBy(() -> CompletableFuture.runAsync(() -> send("/refunds"))
                                .get())
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("has no Idempotency-Key"));

        assertThat(server.requests()).isEmpty();
    }

    static class Calls {

        @Idempotent(scope = "requests-leased", key = "#key", fingerprint = "#key", mode = IdempotencyMode.LEASED)
        public void leased(String key, Runnable requests) {
            requests.run();
        }

        @Transactional
        @Idempotent(scope = "requests", key = "#key", fingerprint = "#key")
        public void transactional(String key, Runnable requests) {
            requests.run();
        }
    }
}
