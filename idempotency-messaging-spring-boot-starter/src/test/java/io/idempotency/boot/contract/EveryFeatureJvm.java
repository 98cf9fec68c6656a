package io.idempotency.boot.contract;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.contract.EveryFeature.Order;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.internal.retention.Purge;

/** The main class of a JVM that uses each feature twice, and prints its locale and each effect that is in the database. */
final class EveryFeatureJvm {

    static final String EFFECT = "effect: ";

    static final String LOCALE = "locale: ";

    private static final String KEY = "key-1";

    private EveryFeatureJvm() {}

    public static void main(String[] properties) throws Exception {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(
                        EveryFeature.class,
                        EveryFeature.Configured.class,
                        JdbcTestApplication.class,
                        HttpApplication.SpringMvc.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0",
                        "idempotency.outbox.poll-interval=100ms",
                        "idempotency.max-lease=1s",
                        "idempotency.lease=1s",
                        "idempotency.sql-functions=true")
                .properties(properties)
                .run()) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            EveryFeature features = context.getBean(EveryFeature.class);
            use(features);
            features.publish(KEY);
            CountDownLatch resumed = new CountDownLatch(1);
            EveryFeature.FIRST_ATTEMPT.set(() -> awaitUninterruptibly(resumed));
            // Of another instance, because a call waits for those of its own.
            ConfigurableApplicationContext other = JdbcTestApplication.start(
                    Map.of(),
                    new Class<?>[] {EveryFeature.class, EveryFeature.Configured.class},
                    JdbcTestApplication.and(
                            properties,
                            "idempotency.outbox.relay=false",
                            "idempotency.lease=1s",
                            "idempotency.max-lease=1s"));
            Thread hanging = new Thread(() -> other.getBean(EveryFeature.class).resume(KEY, Order.example()));
            hanging.setUncaughtExceptionHandler((thread, leaseLost) -> {});
            hanging.setDaemon(true);
            hanging.start();
            post(context);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> jdbc.queryForObject(
                                    "select count(*) from feature where effect in ('resumed', 'handled true')",
                                    Long.class)
                            == 2);
            resumed.countDown();
            hanging.join();
            other.close();
            use(features);
            post(context);
            System.out.println(LOCALE + String.format("%d", 7) + Locale.getDefault());
            print(jdbc, "select key || ' ' || effect from feature");
            print(jdbc, "select idempotency_scope || ' ' || status from idempotency.idempotency_request");
            print(jdbc, "select encode(request_hash, 'hex') from idempotency.idempotency_request");
            print(
                    jdbc,
                    "select response_body::text from idempotency.idempotency_request where response_body is not null and"
                            + " idempotency_scope <> 'every-lease'");
            jdbc.execute("update idempotency.idempotency_request set expires_at = now() - interval '1 minute';"
                    + " update idempotency.processed_message set expires_at = now() - interval '1 minute'");
            context.getBean(Purge.class).run();
            print(jdbc, "select 'kept ' || count(*) from idempotency.idempotency_request");
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    private static void use(EveryFeature features) {
        features.call(KEY, Order.example());
        features.callWithoutResponse(KEY);
        features.callOptimistically(KEY);
        features.writeAtOnce(KEY);
        features.lease(KEY, Order.example());
        features.leaseInTransaction(KEY);
        features.receive(KEY, Order.example());
    }

    private static void post(ConfigurableApplicationContext context) throws Exception {
        URI uri =
                URI.create("http://localhost:" + context.getEnvironment().getProperty("local.server.port") + "/every");
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .header("Idempotency-Key", "\"" + KEY + "\"")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(
                                        "{\"price\": 1234.50, \"count\": 7, \"at\": \"2026-11-28T23:30:00Z\","
                                                + " \"language\": \"de_DE\"}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        System.out.println(EFFECT + "http " + answer.statusCode());
    }

    private static void print(JdbcTemplate jdbc, String query) {
        List<String> lines = jdbc.queryForList(query + " order by 1", String.class);
        lines.forEach(line -> System.out.println(EFFECT + line));
    }
}
