package io.idempotency.sample.demo;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Makes the attempts of runs, as requests to this application's own API. */
@Component
class Runs {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Environment environment;

    private final JsonMapper json;

    private final RunningRuns running;

    private final StatePublisher state;

    private final EventStream stream;

    Runs(Environment environment, JsonMapper json, RunningRuns running, StatePublisher state, EventStream stream) {
        this.environment = environment;
        this.json = json;
        this.running = running;
        this.state = state;
        this.stream = stream;
    }

    /** Sends all requests, and waits for no answer. */
    Run start(RunRequest request) {
        Run run = new Run(request);
        running.add(run);
        state.follow(request);
        stream.publish("run", new Started(run.id().toString(), request));
        var unused = CompletableFuture.allOf(
                        run.attempts().stream().map(this::send).toArray(CompletableFuture[]::new))
                .whenComplete((nothing, failure) -> state.show(
                        request,
                        () -> stream.publish("done", Map.of("runId", run.id().toString()))));
        return run;
    }

    private CompletableFuture<Void> send(Attempt attempt) {
        double sent = attempt.run().millisecondsSinceStart();
        return http.sendAsync(request(attempt), BodyHandlers.ofString()).handle((response, failure) -> {
            running.remove(attempt);
            stream.publish("attempt", met(attempt, sent, response));
            return null;
        });
    }

    private HttpRequest request(Attempt attempt) {
        RunRequest request = attempt.run().request();
        HttpRequest.Builder sent = HttpRequest.newBuilder(
                        URI.create("http://localhost:" + environment.getRequiredProperty("local.server.port")
                                + environment.getProperty("server.servlet.context-path", "")
                                + (request.withKey() ? "/payments" : PaymentWithoutKeyController.PATH)))
                .timeout(TIMEOUT)
                .header("Content-Type", MediaType.APPLICATION_JSON_VALUE)
                .header(Attempt.HEADER, attempt.header())
                .POST(BodyPublishers.ofString(json.writeValueAsString(Map.of(
                        "accountId", request.accountId(),
                        "amountCents", request.amountCents(),
                        "currency", "EUR",
                        "reference", request.key()))));
        return (request.withKey() ? sent.header("Idempotency-Key", quoted(request.key())) : sent).build();
    }

    /** As the draft standard has it, so that no sign of the key means something else. */
    private static String quoted(String key) {
        return '"' + key.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    private Met met(Attempt attempt, double sent, @Nullable HttpResponse<String> response) {
        return new Met(
                attempt.run().id().toString(),
                attempt.number(),
                sent,
                attempt.run().millisecondsSinceStart() - sent,
                attempt.executions(),
                attempt.waitedFor(),
                attempt.outcome(),
                attempt.repeats(),
                response == null ? null : response.statusCode(),
                response != null
                        && response.headers().firstValue("Idempotent-Replayed").isPresent(),
                response == null ? null : text(response.body(), "paymentId"),
                response == null ? null : text(response.body(), "title"));
    }

    private @Nullable String text(String body, String name) {
        try {
            return json.readTree(body).path(name).asString(null);
        } catch (JacksonException notJson) {
            return null;
        }
    }

    /** A run began. */
    record Started(String runId, RunRequest request) {}

    /**
     * An attempt is over.
     *
     * @param runId the run
     * @param number the number in the run, from 1
     * @param sentMilliseconds when the request was sent, from the start of the run
     * @param tookMilliseconds how long the answer took
     * @param executions when its method ran
     * @param waitedFor the numbers of the attempts that held the key meanwhile
     * @param outcome what the call met, as the library names it; {@code null} if the request did not get there
     * @param repeats how often the method was run again inside of the call
     * @param status of HTTP; {@code null} if there was no answer
     * @param replayed whether the answer says that it is a stored one
     * @param paymentId the payment that the answer names; {@code null} if it names none
     * @param title of the problem; {@code null} if there was none
     */
    record Met(
            String runId,
            int number,
            double sentMilliseconds,
            double tookMilliseconds,
            List<Execution> executions,
            List<Integer> waitedFor,
            @Nullable String outcome,
            int repeats,
            @Nullable Integer status,
            boolean replayed,
            @Nullable String paymentId,
            @Nullable String title) {}
}
