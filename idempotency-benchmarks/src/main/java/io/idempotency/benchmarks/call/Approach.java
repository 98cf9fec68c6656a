package io.idempotency.benchmarks.call;

import java.util.List;

import io.idempotency.benchmarks.harness.OutboxConfiguration;
import io.idempotency.benchmarks.harness.StarterConfiguration;

/**
 * A way to make the effect of a call.
 *
 * @param name of the contender
 * @param promise checked before anything is measured
 * @param beans of its application, the {@link PaymentService} among them
 * @param properties of its application
 */
record Approach(String name, Promise promise, List<Class<?>> beans, List<String> properties) {

    static final Approach PLAIN = new Approach("plain", Promise.NOTHING, List.of(PlainPayments.class));

    static final Approach PLAIN_IN_ONE_MESSAGE =
            new Approach("plain-one-message", Promise.NOTHING, List.of(PlainPayments.InOneMessage.class));

    static final Approach HAND_WRITTEN = new Approach(
            "hand-written", Promise.SAME_RESPONSE, List.of(HandWrittenPayments.class, HandWrittenStore.class));

    static final Approach FLOOR =
            new Approach("floor", Promise.SAME_RESPONSE, List.of(FloorPayments.class, HandWrittenStore.class));

    static final Approach SELECT = new Approach(
            "select", Promise.SAME_RESPONSE, List.of(FloorPayments.AskingFirst.class, HandWrittenStore.class));

    static final Approach STARTER =
            new Approach("starter", Promise.SAME_RESPONSE, List.of(StarterPayments.class, StarterConfiguration.class));

    static final Approach STARTER_OPTIMISTIC = new Approach(
            "starter-optimistic",
            Promise.SAME_RESPONSE,
            List.of(StarterOptimisticPayments.class, StarterConfiguration.class));

    static final Approach STARTER_WRITE = new Approach(
            "starter-write", Promise.SAME_RESPONSE, List.of(StarterWrites.class, StarterConfiguration.class));

    static final Approach STARTER_VOID = new Approach(
            "starter-void", Promise.ONE_EFFECT, List.of(StarterVoidPayments.class, StarterConfiguration.class));

    static final Approach STARTER_LEASED = new Approach(
            "starter-leased", Promise.SAME_RESPONSE, List.of(StarterLeasedPayments.class, StarterConfiguration.class));

    static final Approach LEASED =
            new Approach("leased", Promise.SAME_RESPONSE, List.of(LeasedPayments.class, StarterConfiguration.class));

    static final Approach LEASED_STEPS = new Approach(
            "steps", Promise.SAME_RESPONSE, List.of(LeasedPayments.Steps.class, StarterConfiguration.class));

    static final Approach LEASED_INSERTS = new Approach(
            "hand-written",
            Promise.SAME_RESPONSE,
            List.of(LeasedPayments.Inserts.class, HandWrittenStore.class, StarterConfiguration.class));

    static final Approach LEASED_AUTO_COMMITTED_INSERTS = new Approach(
            "hand-written-auto-commit",
            Promise.SAME_RESPONSE,
            List.of(LeasedPayments.AutoCommittedInserts.class, HandWrittenStore.class, StarterConfiguration.class));

    static final Approach OUTBOX_PUBLISH = new Approach(
            "outbox-publish",
            Promise.NOTHING,
            List.of(PublishingPayments.class, OutboxConfiguration.class),
            List.of("idempotency.outbox.relay=false"));

    Approach(String name, Promise promise, List<Class<?>> beans) {
        this(name, promise, beans, List.of());
    }

    String ddl() {
        return beans.contains(HandWrittenStore.class) ? HandWrittenStore.DDL : "";
    }
}
