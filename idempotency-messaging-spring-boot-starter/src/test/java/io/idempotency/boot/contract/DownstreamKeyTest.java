package io.idempotency.boot.contract;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.idempotency.CallerResolver;
import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.inbox.IdempotentReceiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The keys that an idempotent method hands to the systems that it calls. */
@ContractTest
class DownstreamKeyTest {

    private final ContractApplication application;

    private final Downstream downstream;

    private final Tenant tenant;

    DownstreamKeyTest(ContractApplications applications) {
        application = applications.start(List.of(Downstream.class, Tenant.class));
        downstream = application.bean(Downstream.class);
        tenant = application.bean(Tenant.class);
    }

    @AfterEach
    void clear() {
        tenant.set("");
    }

    /**
     * External systems remember these keys, so that a release must never change them. The expected values are those of
     * another implementation, in Python:
     *
     * <pre>
     * parts = ["downstream", "", "order-1", "stripe"]
     * data = uuid.UUID("0c6c5a5e-7d5b-4d0e-9f4c-3f1c2a8f4f51").bytes
     * for part in parts: data += struct.pack("&gt;I", len(part.encode())) + part.encode()
     * uuid.UUID(bytes=hashlib.sha1(data).digest()[:16], version=5)
     * </pre>
     */
    @Test
    void areTheSameInEveryReleaseAndProcess() {
        assertThat(downstream.keyFor("order-1", "stripe")).isEqualTo("b9ceef7b-95a8-5859-a660-e24d59db26e9");

        tenant.set("zoë");
        assertThat(downstream.keyFor("order-1", "stripe")).isEqualTo("85dbd30f-ff0c-5869-84a4-1899a2d479a5");
    }

    /** With a fifth part, {@code "message"}. */
    @Test
    void ofMessagesAreTheSameInEveryReleaseAndProcess() {
        assertThat(downstream.keyForMessage("order-1", "stripe")).isEqualTo("f43dfa02-104f-53c8-a6b7-3f5cfc462af1");
    }

    @Test
    void areVersion5Uuids() {
        UUID key = UUID.fromString(downstream.keyFor("order-1", "stripe"));

        assertThat(key.version()).isEqualTo(5);
        assertThat(key.variant()).isEqualTo(2);
    }

    @Test
    void areTheSameInEveryAttempt() {
        AtomicReference<String> first = new AtomicReference<>();
        application.interruption().beforeEffectDo(() -> {
            first.set(IdempotencyContext.current().downstreamKey("stripe"));
            throw new IllegalStateException("no answer");
        });
        assertThatThrownBy(() -> downstream.leasedKeyFor("order-1", "stripe")).hasMessage("no answer");
        application.interruption().reset();

        assertThat(downstream.leasedKeyFor("order-1", "stripe")).isEqualTo("2 " + first.get());
    }

    @Test
    void differByNameKeyScopeAndCaller() {
        String key = downstream.keyFor("order-1", "stripe");
        String ofAnotherName = downstream.keyFor("order-1 for adyen", "adyen");
        String ofAnotherKey = downstream.keyFor("order-2", "stripe");
        String ofAnotherScope = downstream.leasedKeyFor("order-1", "stripe").substring(2);
        tenant.set("tenant-1");
        String ofAnotherCaller = downstream.keyFor("order-1", "stripe");

        String ofAMessage = downstream.keyForMessage("order-1", "stripe");

        assertThat(List.of(key, ofAnotherName, ofAnotherKey, ofAnotherScope, ofAnotherCaller, ofAMessage))
                .doesNotHaveDuplicates();
    }

    static class Tenant implements CallerResolver {

        private volatile String current = "";

        void set(String tenant) {
            current = tenant;
        }

        @Override
        public String resolveCaller() {
            return current;
        }
    }

    static class Downstream {

        private final Interruption interruption;

        Downstream(Interruption interruption) {
            this.interruption = interruption;
        }

        @Idempotent(scope = "downstream", key = "#key")
        public String keyFor(String key, String name) {
            return IdempotencyContext.current().downstreamKey(name);
        }

        @IdempotentReceiver(consumer = "downstream", messageId = "#id")
        public String keyForMessage(String id, String name) {
            return IdempotencyContext.current().downstreamKey(name);
        }

        @Idempotent(scope = "downstream-leased", key = "#key", mode = IdempotencyMode.LEASED)
        public String leasedKeyFor(String key, String name) {
            interruption.beforeEffect();
            IdempotencyContext context = IdempotencyContext.current();
            return context.attempt() + " " + context.downstreamKey(name);
        }
    }
}
