package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.FailureTranslator;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The caller gets the method's own exception, whatever a translator does. */
@ContractTest
class FailingTranslatorTest {

    private final ContractApplication application;

    private final Shop shop;

    FailingTranslatorTest(ContractApplications applications) {
        application = applications.start(List.of(Shop.class, Translator.class));
        shop = application.bean(Shop.class);
    }

    @Test
    void thatHasAnError() {
        assertThatThrownBy(() -> shop.buy("key", "error")).isInstanceOf(SoldOut.class);
    }

    @Test
    void thatThrowsWhatItDoesNotKnow() {
        assertThatThrownBy(() -> shop.buy("key", "same")).isInstanceOf(SoldOut.class);
    }

    @Test
    void thatThrowsWhatItDoesNotKnowUnderALease() {
        assertThatThrownBy(() -> shop.buyLeased("key", "same")).isInstanceOf(SoldOut.class);
    }

    static class SoldOut extends RuntimeException {

        private static final long serialVersionUID = 1L;

        SoldOut(String message) {
            super(message);
        }
    }

    static class Translator implements FailureTranslator {

        @Override
        public String codeOf(Throwable failure) {
            if (failure.getMessage().equals("error")) {
                throw new NoClassDefFoundError("codes");
            }
            throw (SoldOut) failure;
        }
    }

    static class Shop {

        @Transactional
        @Idempotent(scope = "shop", key = "#key", finalFailures = SoldOut.class)
        public void buy(String key, String what) {
            throw new SoldOut(what);
        }

        @Idempotent(scope = "leased-shop", key = "#key", mode = IdempotencyMode.LEASED)
        public void buyLeased(String key, String what) {
            throw new SoldOut(what);
        }
    }
}
