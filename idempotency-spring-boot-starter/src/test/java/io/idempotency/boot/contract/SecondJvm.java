package io.idempotency.boot.contract;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.springframework.context.ConfigurableApplicationContext;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.ConcurrentCalls;

/**
 * The main class of a second JVM: the same application on the database that its environment names. It says that it is
 * ready, reads the keys of its calls from one line, and prints an answer a line.
 */
final class SecondJvm {

    static final String READY = "ready";

    static final String ANSWER = "answer ";

    static final String RETRIES = "retries ";

    private static final int CLIENTS = 16;

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private SecondJvm() {}

    public static void main(String[] properties) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (ConfigurableApplicationContext context = JdbcTestApplication.start(
                Map.of(), new Class<?>[] {Payments.class, Interruption.class, Outcomes.class}, properties)) {
            System.out.println(READY);
            String keys = input.readLine();
            if (keys == null) {
                return;
            }
            for (String answer : payAll(context.getBean(Payments.class), List.of(keys.split(" ")))) {
                System.out.println(ANSWER + answer);
            }
            System.out.println(
                    RETRIES + context.getBean(Outcomes.class).retries().size());
        }
    }

    /** Every key from {@value #CLIENTS} threads; one text for each answer. */
    static List<String> payAll(Payments payments, List<String> keys) {
        return ConcurrentCalls.run(
                        CLIENTS,
                        client -> keys.stream()
                                .map(key -> key + " " + payments.pay(key, COMMAND))
                                .toList())
                .requireAllSucceeded()
                .stream()
                .flatMap(List::stream)
                .toList();
    }
}
