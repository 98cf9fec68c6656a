package io.idempotency.boot.actuate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.boot.actuate.Descriptors.Details;
import io.idempotency.boot.actuate.Descriptors.Step;
import io.idempotency.internal.call.attempt.CallContext;
import io.idempotency.internal.call.attempt.KeyOwnership;
import io.idempotency.internal.call.attempt.KeyOwnership.Holder;
import io.idempotency.internal.retention.Purge;
import io.idempotency.internal.retention.PurgeReport;

/** The calls in the endpoint, and the purge. */
final class CallsPart implements EndpointPart {

    /** The logger that {@link IdempotencyAdministration} uses for its interventions. */
    private static final Logger logger = LoggerFactory.getLogger("io.idempotency.administration");

    /** Short, because an operator waits for the response. */
    private static final Duration PURGE_TIME = Duration.ofSeconds(10);

    private static final int DEFAULT_ATTEMPTS = 2;

    private static final String RESPONSE = "response";

    private static final String STEP = "step";

    private final IdempotencyAdministration administration;

    private final Purge purge;

    CallsPart(IdempotencyAdministration administration, Purge purge) {
        this.administration = administration;
        this.purge = purge;
    }

    @Override
    public Map<String, Section> sections() {
        Map<String, Section> sections = new LinkedHashMap<>();
        sections.put(
                "running-calls",
                (limit, parameters) ->
                        Row.of(KeyOwnership.holders().stream().limit(limit).toList(), Holder::intent));
        sections.put("stale-leases", requests(administration::findStaleLeases));
        sections.put("half-done", requests(administration::findHalfDone));
        sections.put("abandoned", requests(administration::findAbandoned));
        sections.put("repeated-commands", (limit, parameters) -> {
            int attempts = parameters.number("attempts", DEFAULT_ATTEMPTS, Integer.MAX_VALUE);
            return Row.of(administration.findWithAttempts(attempts, limit), IdempotencyRecord::intent);
        });
        return sections;
    }

    private static Section requests(IntFunction<List<IdempotencyRecord>> find) {
        return (limit, parameters) -> Row.of(find.apply(limit), IdempotencyRecord::intent);
    }

    @Override
    public Map<String, Operation> operations() {
        Map<String, Operation> operations = new LinkedHashMap<>();
        operations.put("release", change((intent, parameters, reason) -> administration.releaseStale(intent, reason)));
        operations.put("complete", change(this::complete, RESPONSE));
        operations.put("forget", change((intent, parameters, reason) -> administration.forget(intent, reason)));
        operations.put(
                "retry",
                change(
                        (intent, parameters, reason) -> administration.retryFrom(intent, parameters.text(STEP), reason),
                        STEP));
        operations.put("purge", new Operation(List.of(), (parameters, reason) -> purge(reason)));
        return operations;
    }

    private static Operation change(Change change, String... values) {
        List<String> needed = new ArrayList<>(List.of("scope", "key"));
        needed.addAll(List.of(values));
        return new Operation(needed, (parameters, reason) -> {
            Intent intent = parameters.intent();
            change.make(intent, parameters, reason);
            return Row.Key.of(intent);
        });
    }

    private void complete(Intent intent, RequestParameters parameters, Reason reason) {
        try {
            administration.completeStale(intent, parameters.text(RESPONSE), reason);
        } catch (IllegalArgumentException notJson) {
            throw RefusedRequestException.badRequest(String.valueOf(notJson.getMessage()));
        }
    }

    private PurgeReport purge(Reason reason) {
        // Logged first, because deleted rows stay deleted even if the purge fails.
        logger.atWarn()
                .addKeyValue("operation", "purge")
                .addKeyValue("who", reason.who())
                .addKeyValue("why", reason.why())
                .log("Operator intervention: purge by {} because {}", reason.who(), reason.why());
        try {
            return purge.run(PURGE_TIME);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new RefusedRequestException(
                    RefusedRequestException.UNAVAILABLE, "The purge was stopped. What it has deleted stays deleted.");
        }
    }

    @Override
    public Optional<Row> findRecord(Intent intent, RequestParameters parameters) {
        return administration
                .find(intent)
                .map(found -> new Row(Row.Key.of(intent), found, detailsOf(found, parameters)));
    }

    private Details detailsOf(IdempotencyRecord found, RequestParameters parameters) {
        Intent intent = found.intent();
        List<Step> steps = administration.findSteps(intent).stream()
                .map(step -> new Step(step, CallContext.downstreamKey(intent, null, step.name(), null)))
                .toList();
        return new Details(
                parameters.showsResponse() && found.hasResponse()
                        ? administration.findResponse(intent).orElse(null)
                        : null,
                steps.isEmpty() ? null : steps,
                downstreamKeys(intent, steps, parameters.get("downstream")));
    }

    /** Returns the keys that the call derives from a name, by the step that is running; outside of steps the step is empty. */
    private static @Nullable Map<String, String> downstreamKeys(
            Intent intent, List<Step> steps, @Nullable String name) {
        if (name == null) {
            return null;
        }
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("", CallContext.downstreamKey(intent, null, name, null));
        for (Step step : steps) {
            String running = step.recorded().name();
            keys.put(running, CallContext.downstreamKey(intent, null, name, running));
        }
        return keys;
    }

    /** The change of one request. */
    private interface Change {

        void make(Intent intent, RequestParameters parameters, Reason reason);
    }
}
