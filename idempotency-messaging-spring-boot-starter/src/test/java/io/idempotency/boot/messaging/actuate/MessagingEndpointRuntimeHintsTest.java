package io.idempotency.boot.messaging.actuate;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import io.idempotency.messaging.DeadMessage;
import io.idempotency.messaging.FailingMessage;
import io.idempotency.messaging.HandledMessage;
import io.idempotency.messaging.OutboxSampled;
import io.idempotency.messaging.PendingMessage;

import static org.assertj.core.api.Assertions.assertThat;

/** A native image can write every answer about messages. */
class MessagingEndpointRuntimeHintsTest {

    @Test
    void everyAnswerCanBeWritten() {
        RuntimeHints hints = new RuntimeHints();

        new MessagingEndpointRuntimeHints().registerHints(hints, getClass().getClassLoader());

        List<Class<?>> written = new ArrayList<>(List.of(MessagingDescriptors.class.getDeclaredClasses()));
        assertThat(written).isNotEmpty();
        written.addAll(List.of(
                HandledMessage.class,
                FailingMessage.class,
                PendingMessage.class,
                DeadMessage.class,
                OutboxSampled.class));
        assertThat(written)
                .allSatisfy(
                        type -> assertThat(RuntimeHintsPredicates.reflection().onType(type))
                                .accepts(hints));
    }
}
