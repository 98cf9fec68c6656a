package io.idempotency.boot.rabbit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.springframework.amqp.rabbit.annotation.EnableRabbit;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.boot.testing.OtherJvm;
import io.idempotency.test.TestDatabase;

/**
 * An instance of an application in a JVM of its own, which a test can kill. It makes its share of the purchases, from the first
 * one each time that it is started, sends what the outbox holds and listens to RabbitMQ until its input ends.
 */
final class RabbitInstance implements AutoCloseable {

    private final Process process;

    private RabbitInstance(Process process) {
        this.process = process;
    }

    static RabbitInstance start(
            TestDatabase database, RabbitBroker broker, Path directory, int number, int instances, int purchases) {
        List<String> arguments = List.of(
                Integer.toString(number),
                Integer.toString(instances),
                Integer.toString(purchases),
                "spring.rabbitmq.port=" + broker.port(),
                "spring.datasource.hikari.data-source-properties.ApplicationName=" + name(number));
        try {
            return new RabbitInstance(OtherJvm.of(database, RabbitInstance.class, arguments)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve(name(number)).toFile()))
                    .start());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The name of its connections. */
    static String name(int number) {
        return "instance-" + number;
    }

    static String accountOf(int purchase, int accounts) {
        return "account-" + purchase % accounts;
    }

    void kill() {
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        kill();
    }

    public static void main(String[] arguments) throws IOException {
        int number = Integer.parseInt(arguments[0]);
        int instances = Integer.parseInt(arguments[1]);
        int purchases = Integer.parseInt(arguments[2]);
        List<String> properties = new ArrayList<>(List.of(arguments).subList(3, arguments.length));
        properties.add("idempotency.outbox.poll-interval=100ms");
        try (ConfigurableApplicationContext context = JdbcTestApplication.start(
                Map.of(), new Class<?>[] {Application.class, Purchases.class}, properties.toArray(String[]::new))) {
            Purchases shop = context.getBean(Purchases.class);
            for (int purchase = number; purchase < purchases; purchase += instances) {
                shop.buy(purchase, accountOf(purchase, RabbitUnderKillsTest.ACCOUNTS));
            }
            while (System.in.read() >= 0) {
                // The test ends the input, or the process.
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableRabbit
    @ImportAutoConfiguration({
        RabbitAutoConfiguration.class,
        IdempotencyRabbitAutoConfiguration.class,
        IdempotencyOutboxAutoConfiguration.class
    })
    static class Application {

        @Bean
        JacksonJsonMessageConverter messageConverter() {
            return new JacksonJsonMessageConverter();
        }
    }
}
