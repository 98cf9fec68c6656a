package io.idempotency.boot.interleaving;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.test.util.ReflectionTestUtils;

/**
 * The relay of an application, which sends on the thread of an actor. No API offers this, so that the relay is taken out of the bean
 * that would run it in the background, here alone.
 */
final class Relay {

    private final Object relay;

    private Relay(Object runner) {
        this.relay = ReflectionTestUtils.getField(runner, "relay");
    }

    /** Sends one batch. */
    Object sendBatch() {
        return ReflectionTestUtils.invokeMethod(relay, "sendBatch");
    }

    /** Takes the place of the bean, so that nothing starts it. */
    static final class Replacing implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return name.equals("idempotencyRelayRunner") ? new Relay(bean) : bean;
        }
    }
}
