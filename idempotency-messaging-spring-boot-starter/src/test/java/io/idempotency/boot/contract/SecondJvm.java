package io.idempotency.boot.contract;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyContext;
import io.idempotency.LeaseLostException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.ConcurrentCalls;

/**
 * The main class of a second JVM: the same application on the database that its environment names. It says that it is
 * ready, reads what to do with which keys from a line, prints an answer a line, and reads the next line.
 */
final class SecondJvm {

    static final String READY = "ready";

    static final String ANSWER = "answer ";

    static final String RETRIES = "retries ";

    /** Followed by what the test wants to know of a call that stays where it is. */
    static final String RUNNING = "running ";

    static final String LEASE_LOST = "lease lost";

    private static final int CLIENTS = 16;

    private static final PayCommand COMMAND = new PayCommand("a1", 5);

    private SecondJvm() {}

    public static void main(String[] properties) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (ConfigurableApplicationContext context = JdbcTestApplication.start(
                Map.of(),
                new Class<?>[] {
                    Payments.class,
                    Bookings.class,
                    BoundMessages.class,
                    LeasedPayments.class,
                    Interruption.class,
                    Outcomes.class
                },
                properties)) {
            System.out.println(READY);
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                List<String> words = List.of(line.split(" "));
                for (String answer :
                        Work.valueOf(words.get(0)).doAll(context::getBean, words.subList(1, words.size()))) {
                    System.out.println(ANSWER + answer);
                }
                System.out.println(
                        RETRIES + context.getBean(Outcomes.class).retries().size());
            }
        }
    }

    private static void sayAndStay(String what) {
        System.out.println(RUNNING + what);
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives a bean of the application. */
    interface Beans {

        <T> T get(Class<T> type);
    }

    /** What is done with every key, in both JVMs. */
    enum Work {
        PAY {
            @Override
            Object answerFor(String key, Beans beans) {
                return beans.get(Payments.class).pay(key, COMMAND);
            }
        },

        BOOK {
            @Override
            @Nullable Object answerFor(String key, Beans beans) {
                return beans.get(Bookings.class).book(key, COMMAND.cents());
            }
        },

        /** Holds the key for one client, whose method does not end. */
        PAY_LEASED_AND_STAY {
            @Override
            Object answerFor(String key, Beans beans) {
                beans.get(Interruption.class)
                        .afterEffectDo(
                                () -> sayAndStay(IdempotencyContext.current().downstreamKey("stripe")));
                return beans.get(LeasedPayments.class).pay(key);
            }

            @Override
            List<String> keysOf(int client, List<String> keys) {
                return client == 0 ? keys : List.of();
            }
        },

        /** Holds the key for one client until another process has it; its lease is lost then. */
        PAY_LEASED_UNTIL_TAKEN_OVER {
            @Override
            Object answerFor(String key, Beans beans) {
                JdbcTemplate jdbc = beans.get(JdbcTemplate.class);
                beans.get(Interruption.class).afterEffectDo(() -> {
                    System.out.println(RUNNING + key);
                    Awaitility.await()
                            .atMost(Duration.ofMinutes(1))
                            .until(() -> jdbc.queryForObject(
                                            "select attempt_count from idempotency.idempotency_request"
                                                    + " where idempotency_key = ?",
                                            Integer.class,
                                            key)
                                    > 1);
                });
                try {
                    return beans.get(LeasedPayments.class).pay(key);
                } catch (LeaseLostException lost) {
                    return LEASE_LOST;
                }
            }

            @Override
            List<String> keysOf(int client, List<String> keys) {
                return client == 0 ? keys : List.of();
            }
        },

        /** Each of the messages from some of the threads, when its time has come. */
        DELIVER_AT_BOUNDS {
            @Override
            @Nullable Object answerFor(String key, Beans beans) {
                return beans.get(BoundMessages.class).handle(key);
            }

            @Override
            List<String> keysOf(int client, List<String> keys) {
                return BoundMessages.of(client, keys);
            }

            @Override
            void awaitTurn(int client, String key) {
                BoundMessages.awaitTurn(client, key);
            }
        };

        abstract @Nullable Object answerFor(String key, Beans beans);

        List<String> keysOf(int client, List<String> keys) {
            return keys;
        }

        void awaitTurn(int client, String key) {}

        String with(List<String> keys) {
            return name() + " " + String.join(" ", keys);
        }

        /** Every key from all clients, if it is for all of them; one text for each answer. */
        List<String> doAll(Beans beans, List<String> keys) {
            return ConcurrentCalls.run(
                            CLIENTS,
                            client -> keysOf(client, keys).stream()
                                    .map(key -> {
                                        awaitTurn(client, key);
                                        return key + " " + answerFor(key, beans);
                                    })
                                    .toList())
                    .requireAllSucceeded()
                    .stream()
                    .flatMap(List::stream)
                    .toList();
        }
    }
}
