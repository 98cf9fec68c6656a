package io.idempotency.boot.chain;

import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The start tells which calls of idempotent methods claim no key, because they are made on the bean's own object. */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class SelfInvocationReportTest {

    private static final String WARNING = " on 'this', past the bean's proxy";

    private final TestDatabase database;

    SelfInvocationReportTest(TestDatabase database) {
        this.database = database;
        database.jdbc().execute("create table if not exists self_payment (key text)");
    }

    @Test
    void aCallThatIsToldClaimsNoKeyAndOthersDo(CapturedOutput output) {
        try (var application = JdbcTestApplication.start(database, new Class<?>[] {Payments.class})) {
            assertThat(warnings(output))
                    .singleElement()
                    .asString()
                    .contains(
                            "WARN",
                            Payments.class.getName() + ".payAll(List) calls " + Payments.class.getName()
                                    + ".pay(String)");
            Payments payments = application.getBean(Payments.class);

            payments.payAll(List.of("told", "told"));
            payments.payAllThroughTheProxy(List.of("through", "through"));
            payments.pay("outside");
            payments.pay("outside");
        }

        assertThat(database.jdbc().queryForList("select key from self_payment order by key", String.class))
                .containsExactly("outside", "through", "told", "told");
    }

    @Test
    void beansBehindAnInterfaceAndReceiversAreLookedAt(CapturedOutput output) {
        JdbcTestApplication.start(
                        database, new Class<?>[] {Port.class, Receiver.class}, "spring.aop.proxy-target-class=false")
                .close();

        assertThat(warnings(output))
                .hasSize(2)
                .anyMatch(line -> line.contains("PaymentPort.payTwice(String) calls " + Port.class.getName() + ".pay("))
                .anyMatch(line -> line.contains(Receiver.class.getName() + ".redeliver(String) calls")
                        && line.contains("neither its @IdempotentReceiver nor"));
    }

    /** At run time a native image has no class files. */
    @Test
    void processingAheadOfTimeTellsThemToo(CapturedOutput output) {
        AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
        application.register(JdbcTestApplication.class, Payments.class);

        new ApplicationContextAotGenerator()
                .processAheadOfTime(
                        application,
                        new DefaultGenerationContext(
                                new ClassNameGenerator(ClassName.get("io.idempotency.boot.chain", "Application")),
                                new InMemoryGeneratedFiles()));

        assertThat(warnings(output)).hasSize(1);
    }

    private static Stream<String> warnings(CapturedOutput output) {
        return output.getOut().lines().filter(line -> line.contains(WARNING));
    }

    static class Payments {

        private final JdbcTemplate jdbc;

        private final Payments self;

        Payments(JdbcTemplate jdbc, @Lazy Payments self) {
            this.jdbc = jdbc;
            this.self = self;
        }

        @Transactional
        @Idempotent(scope = "self-payments", key = "#key")
        public void pay(String key) {
            jdbc.update("insert into self_payment values (?)", key);
        }

        public void payAll(List<String> keys) {
            keys.forEach(key -> pay(key));
        }

        public void payAllThroughTheProxy(List<String> keys) {
            keys.forEach(key -> self.pay(key));
        }
    }

    interface PaymentPort {

        void pay(String key);

        default void payTwice(String key) {
            pay(key);
            pay(key);
        }
    }

    static class Port implements PaymentPort {

        @Override
        @Transactional
        @Idempotent(scope = "self-port", key = "#key")
        public void pay(String key) {}
    }

    static class Receiver {

        @IdempotentReceiver(consumer = "self-receiver", messageId = "#id")
        public void receive(String id) {}

        public void redeliver(String id) {
            receive(id);
        }
    }
}
