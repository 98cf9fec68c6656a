package io.idempotency.boot.chain;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;

/** What the container calls when the bean has its proxy is protected: once for all starts of the application. */
class ContainerCallbackTest extends LedgerTests {

    @Test
    void callbacksThroughTheProxyRunOnceForAllStarts() {
        startAndStop();
        startAndStop();

        for (String key : new String[] {"singletons", "lifecycle", "event", "default", "bridge"}) {
            committed.assertOneEffectInTheTransactionOfItsClaim(key);
        }
    }

    private void startAndStop() {
        try (ConfigurableApplicationContext application =
                start(WhenSingletonsAreReady.class, InTheLifecycle.class, AtAnEvent.class, Inheriting.class)) {
            Inheriting inheriting = application.getBean(Inheriting.class);
            inheriting.payByDefault("default");
            inheriting.pay("bridge");
        }
    }

    static class WhenSingletonsAreReady extends LedgerBean implements SmartInitializingSingleton {

        @Override
        @Idempotent(scope = "singletons", key = "'singletons'")
        public void afterSingletonsInstantiated() {
            ledger.enter("singletons");
        }
    }

    static class InTheLifecycle extends LedgerBean implements SmartLifecycle {

        private boolean running;

        @Override
        @Idempotent(scope = "lifecycle", key = "'lifecycle'")
        public void start() {
            ledger.enter("lifecycle");
            running = true;
        }

        @Override
        public void stop() {
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }
    }

    static class AtAnEvent extends LedgerBean {

        @EventListener(ContextRefreshedEvent.class)
        @Transactional
        @Idempotent(scope = "event", key = "'event'")
        public void seed() {
            ledger.enter("event");
        }
    }

    interface DefaultMethod {

        Ledger ledger();

        @Transactional
        @Idempotent(scope = "default", key = "#key")
        default Receipt payByDefault(String key) {
            return ledger().enter(key);
        }
    }

    /** Not public, so that the compiler gives its public subclass a bridge to the method. */
    abstract static class Invisible extends LedgerBean {

        @Transactional
        @Idempotent(scope = "bridge", key = "#key")
        public Receipt pay(String key) {
            return ledger.enter(key);
        }
    }

    public static class Inheriting extends Invisible implements DefaultMethod {

        @Override
        public Ledger ledger() {
            return ledger;
        }
    }
}
