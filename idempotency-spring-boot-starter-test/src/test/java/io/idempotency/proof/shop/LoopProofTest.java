package io.idempotency.proof.shop;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** The tests of a scenario whose method has a loop: a longer loop has no more of them. */
class LoopProofTest {

    /** The claim, which are two statements, three of each statement in the loop, and COMMIT. */
    private static final int STATEMENTS = 9;

    private static final int FAULTS = 11;

    @Test
    void ofALoopTheFirstOneInTheMiddleAndTheLastAreBroken() throws IOException {
        Events tests = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(OrderScenario.class))
                .execute()
                .testEvents();

        tests.assertStatistics(all -> all.failed(0).aborted(0).succeeded(5 + STATEMENTS * FAULTS));
        List<String> broken = tests.succeeded().stream()
                .map(Event::getTestDescriptor)
                .map(TestDescriptor::getDisplayName)
                .filter(name -> name.endsWith("an OutOfMemoryError was thrown") && name.contains(" statement "))
                .filter(name -> !name.contains("library"))
                .map(name -> name.replaceFirst("order: before (.+): .+", "$1"))
                .toList();
        assertThat(broken)
                .containsExactly(
                        "statement 1 of 40 (`insert into note`)",
                        "statement 2 of 40 (`update counter`)",
                        "statement 21 of 40 (`insert into note`)",
                        "statement 22 of 40 (`update counter`)",
                        "statement 39 of 40 (`insert into note`)",
                        "statement 40 of 40 (`update counter`)");
        assertThat(Path.of("target/idempotency/" + OrderScenario.class.getName() + ".order.html"))
                .content()
                .contains(
                        "Of the statements that a loop sends, the first, one in the middle and the last were broken, and 34"
                                + " were not.");
    }

    @SpringBootTest(
            classes = LoopConfiguration.class,
            properties = {"spring.sql.init.mode=always", "spring.jpa.hibernate.ddl-auto=none"})
    static class OrderScenario implements IdempotencyProof {

        @IdempotencyScenario
        void order(LoopShop shop) {
            shop.order("key-1", 20);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(LoopShop.class)
    static class LoopConfiguration {}

    @Service
    static class LoopShop {

        private final JdbcTemplate jdbc;

        LoopShop(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @Idempotent(scope = "loop-order", key = "#key")
        public void order(String key, int lines) {
            for (int line = 0; line < lines; line++) {
                jdbc.update("insert into note (text) values (?)", "line " + line);
                jdbc.update("update counter set n = n - 1 where name = 'a'");
            }
        }
    }
}
