package io.idempotency.boot.web;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.ModelAndView;

import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.inbox.Inbox;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The parts of a request that are compared, and the warnings about those that are not and about keys that nobody uses. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ComparedRequestTest {

    private static final String UNUSED = "no idempotent call used the key of its header";

    private final TestDatabase database;

    @AutoClose
    private final HttpApplication application;

    ComparedRequestTest(TestDatabase database) {
        this.database = database;
        application = start(Checkout.class, Keys.class);
    }

    private HttpApplication start(Class<?>... controllers) {
        return HttpApplication.start(database, List.of(controllers), "logging.level.io.idempotency.boot.web=warn");
    }

    @Test
    void theQueryBelongsToTheRequestSortedAndDecoded() throws Exception {
        assertIsAnother("/order", "/order?dry=true");
        assertIsAnother("/order?dry=true", "/order");
        assertIsAnother("/order?dry=true", "/order?dry=false");
        assertIsAnother("/order?a=1&a=2", "/order?a=2&a=1");
        assertIsAnother("/order?a=b%26c=d", "/order?a=b&c=d");
        assertIsAnother("/order?a=1", "/order?b=1");
        assertIsAnother("/order?a=%3D", "/order?a==%3D");

        assertIsTheSame("/order?a=1&b=2", "/order?b=2&a=1");
        assertIsTheSame("/order?a=x%20y&%62=%C3%A4", "/order?a=x+y&b=%c3%a4");
        assertIsTheSame("/order?dry", "/order?dry=");
        assertIsTheSame("/order?", "/order");
        assertIsTheSame("/order?&a=1&&", "/order?a=1");
    }

    /** A container adds the id of the session to links for a client without cookies. */
    @Test
    void theSessionBelongsToNoRequestButOtherPartsOfThePathDo() throws Exception {
        assertIsTheSame("/order;jsessionid=1F2E", "/order;jsessionid=3D");
        assertIsTheSame("/order;jsessionid=1F2E?a=1", "/order?a=1");
        assertIsTheSame("/order;color=red;JSESSIONID=1F2E", "/order;color=red");
        assertIsAnother("/order;color=red", "/order;color=blue");
        assertIsAnother("/order;jsessionid=1F2E;color=red", "/order;jsessionid=1F2E");
    }

    private void assertIsAnother(String first, String second) throws Exception {
        Answer refused = repeat(first, second);
        assertThat(refused.status()).as(first + " and " + second).isEqualTo(422);
        assertThat(refused.problem()).isEqualTo("key-reused");
    }

    private void assertIsTheSame(String first, String second) throws Exception {
        assertThat(repeat(first, second).header("Idempotent-Replayed"))
                .as(first + " and " + second)
                .isEqualTo("true");
    }

    private Answer repeat(String first, String second) throws IOException, InterruptedException {
        String key = UUID.randomUUID().toString();
        assertThat(send(first, key).status()).isEqualTo(200);
        return send(second, key);
    }

    private Answer send(String path, String key) throws IOException, InterruptedException {
        return application.post(path).key(key).json("{\"item\":\"tea\"}").send();
    }

    @Test
    void argumentsThatTheFingerprintLeavesOutAreNamedAtStartUp(CapturedOutput output) {
        start(Checkout.class).close();

        assertThat(output)
                .contains(
                        "The fingerprint '#order' of @Idempotent on " + Checkout.class.getTypeName()
                                + ".order(String, boolean, Integer, String, Order) leaves out"
                                + " @RequestParam dry and @RequestHeader channel.",
                        "Name them in fingerprint, as in \"{#order, #currency}\"")
                .contains(".inTheKey(String, Order) leaves out @RequestBody order.")
                .doesNotContain("everything", "named");
    }

    @ParameterizedTest
    @CsvSource({"/unused, Keys#unused", "/other-key, Keys#otherKey", "/later, Keys#later"})
    void anEndpointWhoseKeyNobodyUsesIsNamedOnce(String path, String handler, CapturedOutput output) throws Exception {
        assertThat(send(path, "some-key").status()).isEqualTo(200);
        assertThat(send(path, "some-key").status()).isEqualTo(200);

        assertThat(output.getOut().split(UNUSED, -1)).hasSize(2);
        assertThat(output).contains(handler, "a repeat takes effect again. Pass the key to a method with @Idempotent");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/used",
                "/derived",
                "/other-thread",
                "/callable",
                "/message",
                "/refused",
                "/optional",
                "/forward"
            })
    void anEndpointWhoseKeyIsUsedIsNot(String path, CapturedOutput output) throws Exception {
        Answer answer = path.equals("/optional")
                ? application.post(path).send()
                : send(path, UUID.randomUUID().toString());

        assertThat(answer.status()).isEqualTo(path.equals("/refused") ? 400 : 200);
        if (path.equals("/forward")) {
            assertThat(send(path, UUID.randomUUID().toString()).status()).isEqualTo(200);
        }
        assertThat(output).doesNotContain(UNUSED);
    }

    record Order(String item) {}

    @RestController
    @Transactional
    static class Checkout {

        @PostMapping("/order")
        @Idempotent(scope = "order", key = "#key", fingerprint = "#order")
        public String order(
                @IdempotencyKeyHeader String key,
                @RequestParam(defaultValue = "false") boolean dry,
                Integer notOfTheRequest,
                @RequestHeader(defaultValue = "") String channel,
                @RequestBody Order order) {
            return UUID.randomUUID().toString();
        }

        @PostMapping("/everything")
        @Idempotent(scope = "everything", key = "#key")
        public String everything(@IdempotencyKeyHeader String key, @RequestHeader(defaultValue = "") String channel) {
            return channel;
        }

        @PostMapping("/named")
        @Idempotent(scope = "named", key = "#key", fingerprint = "{#a1.length(), #order.item}")
        public String named(
                @IdempotencyKeyHeader String key,
                @RequestHeader(defaultValue = "") String channel,
                @RequestBody Order order) {
            return channel;
        }

        @PostMapping("/in-the-key")
        @Idempotent(scope = "in-the-key", key = "#tenant + ':' + #order.item", fingerprint = "'ordered'")
        public String inTheKey(@RequestHeader(defaultValue = "") String tenant, @RequestBody Order order) {
            return tenant;
        }
    }

    @RestController
    static class Keys {

        private final IdempotencyOperations operations;

        private final Inbox inbox;

        Keys(IdempotencyOperations operations, Inbox inbox) {
            this.operations = operations;
            this.inbox = inbox;
        }

        private String use(String key) {
            operations.call("keys", key, "").run(() -> {});
            return key;
        }

        @PostMapping("/unused")
        String unused(@IdempotencyKeyHeader String key) {
            return key;
        }

        @PostMapping("/other-key")
        String otherKey(@IdempotencyKeyHeader String key) {
            return use("of-its-own");
        }

        @PostMapping("/later")
        Callable<String> later(@IdempotencyKeyHeader String key) {
            return () -> key;
        }

        @PostMapping("/used")
        String used(@IdempotencyKeyHeader String key) {
            return use(key);
        }

        @PostMapping("/derived")
        String derived(@IdempotencyKeyHeader String key) {
            return use("charge of " + key);
        }

        @PostMapping("/other-thread")
        String otherThread(@IdempotencyKeyHeader String key) {
            return CompletableFuture.supplyAsync(() -> use(key)).join();
        }

        @PostMapping("/callable")
        Callable<String> callable(@IdempotencyKeyHeader String key) {
            return () -> use(key);
        }

        @PostMapping("/message")
        String message(@IdempotencyKeyHeader String key) {
            inbox.handleOnce("webhooks", key, () -> {});
            return key;
        }

        @PostMapping("/refused")
        String refused(@IdempotencyKeyHeader String key, @RequestParam int missing) {
            return key;
        }

        @PostMapping("/forward")
        ModelAndView forward(@IdempotencyKeyHeader String key) {
            use(key);
            return new ModelAndView("forward:/without-key");
        }

        @PostMapping("/without-key")
        String withoutKey() {
            return "forwarded";
        }

        @PostMapping("/optional")
        String optional(@IdempotencyKeyHeader(required = false) @Nullable String key) {
            return "none";
        }
    }
}
