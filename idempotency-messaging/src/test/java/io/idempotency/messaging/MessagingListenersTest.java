package io.idempotency.messaging;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import io.idempotency.observation.CallObserver.Observed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/** A listener or an observer that fails harms nobody. What they log, those of calls log in the same way. */
class MessagingListenersTest {

    private static final MessageReceived DELIVERY =
            new MessageReceived("wallets", "m-1", MessageOutcome.HANDLED, 1, Duration.ofMillis(3), null);

    private final List<String> received = new ArrayList<>();

    @Test
    void everyListenerReceivesEveryKindOfEventInOrder() throws ReflectiveOperationException {
        MessagingListener listeners = new MessagingListeners(List.of(recorder("first"), recorder("second")));

        for (Method event : MessagingListener.class.getMethods()) {
            received.clear();
            event.invoke(listeners, new Object[] {null});

            assertThat(received).containsExactly("first " + event.getName(), "second " + event.getName());
        }
    }

    @Test
    void aFailingListenerHarmsNeitherTheOthersNorTheDelivery() {
        MessagingListener failing = new MessagingListener() {
            @Override
            public void messageReceived(MessageReceived event) {
                throw new NoClassDefFoundError("io/micrometer/core/instrument/Timer");
            }
        };

        new MessagingListeners(List.of(failing, recorder("next"))).messageReceived(DELIVERY);

        assertThat(received).containsExactly("next messageReceived");
    }

    private MessagingListener recorder(String name) {
        return (MessagingListener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MessagingListener.class}, (proxy, method, arguments) -> {
                    received.add(name + " " + method.getName());
                    return null;
                });
    }

    @Test
    void anObserverThatFailsHarmsNoDelivery() {
        DeliveryObserver atTheStart = SafeDeliveryObserver.of(consumer -> {
            throw new IllegalStateException("no tracer");
        });
        DeliveryObserver atTheEnd = SafeDeliveryObserver.of(consumer -> event -> {
            throw new NoClassDefFoundError("an exporter");
        });

        assertThatCode(() -> atTheStart.deliveryStarted("wallets").ended(DELIVERY))
                .doesNotThrowAnyException();
        assertThatCode(() -> atTheEnd.deliveryStarted("wallets").ended(DELIVERY))
                .doesNotThrowAnyException();
    }

    @Test
    void whereNobodyObservesNothingIsMade() {
        assertThat(SafeDeliveryObserver.of(DeliveryObserver.NONE)).isSameAs(DeliveryObserver.NONE);
        assertThat(DeliveryObserver.NONE.deliveryStarted("wallets")).isSameAs(Observed.noOp());
    }
}
