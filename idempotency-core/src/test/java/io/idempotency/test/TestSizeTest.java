package io.idempotency.test;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class TestSizeTest {

    private final String before = System.getProperty(TestSize.PROPERTY);

    @AfterEach
    void restore() {
        set(before);
    }

    @Test
    void picksByTheProperty() {
        set(null);
        assertThat(TestSize.pick(10, 1000)).isEqualTo(10);
        set("short");
        assertThat(TestSize.pick(10, 1000)).isEqualTo(10);
        set("long");
        assertThat(TestSize.pick(10, 1000)).isEqualTo(1000);
    }

    @Test
    void refusesATypingError() {
        set("lnog");
        assertThatIllegalArgumentException()
                .isThrownBy(TestSize::current)
                .withMessageContaining("idempotency.test.size");
    }

    private static void set(String value) {
        if (value == null) {
            System.clearProperty(TestSize.PROPERTY);
        } else {
            System.setProperty(TestSize.PROPERTY, value);
        }
    }
}
