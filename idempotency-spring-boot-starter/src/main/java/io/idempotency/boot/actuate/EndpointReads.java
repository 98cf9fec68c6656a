package io.idempotency.boot.actuate;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.internal.call.CallContext;
import io.idempotency.internal.call.KeyOwnership;
import io.idempotency.internal.call.KeyOwnership.Holder;

/** The read operations of the endpoint. */
final class EndpointReads {

    private static final int DEFAULT_LIMIT = 50;

    private static final int DEFAULT_ATTEMPTS = 2;

    private static final int MAX_BLOCKED_CLAIMS = 20;

    private static final String RECORD = "record";

    private final IdempotencyAdministration administration;

    private final LatestSamples samples;

    private final List<EndpointPart> parts;

    private final Map<String, IntFunction<List<?>>> sectionsOfParts = new LinkedHashMap<>();

    EndpointReads(IdempotencyAdministration administration, LatestSamples samples, List<EndpointPart> parts) {
        this.administration = administration;
        this.samples = samples;
        this.parts = List.copyOf(parts);
        parts.forEach(part -> sectionsOfParts.putAll(part.sections()));
    }

    /** Returns the overview, which is made without a query. */
    Map<String, Object> overview() {
        Map<String, Object> members = new LinkedHashMap<>();
        Descriptors.Storage storage = Descriptors.Storage.of(samples.storage());
        if (storage != null) {
            members.put("storage", storage);
        }
        parts.forEach(part -> members.putAll(part.overview()));
        members.put("sections", sections());
        return OperationResponseBody.of(members);
    }

    private List<String> sections() {
        List<String> names = new ArrayList<>(
                List.of("running-calls", "stale-leases", "half-done", "abandoned", "repeated-commands"));
        names.addAll(sectionsOfParts.keySet());
        names.add(RECORD);
        return names;
    }

    OperationResponseBody section(String name, RequestParameters parameters, boolean showResponse) {
        return switch (name) {
            case "running-calls" ->
                page(
                        parameters,
                        limit -> KeyOwnership.holders().stream().limit(limit).toList(),
                        Descriptors.RunningCall::of);
            case "half-done" -> page(parameters, administration::findHalfDone, Descriptors.Request::of);
            case "stale-leases" -> page(parameters, administration::findStaleLeases, Descriptors.Request::of);
            case "abandoned" -> page(parameters, administration::findAbandoned, Descriptors.Request::of);
            case "repeated-commands" -> {
                int attempts = parameters.number("attempts", DEFAULT_ATTEMPTS, Integer.MAX_VALUE);
                yield page(
                        parameters, limit -> administration.findWithAttempts(attempts, limit), Descriptors.Request::of);
            }
            case RECORD -> record(parameters, showResponse);
            default -> sectionOfPart(name, parameters);
        };
    }

    private Descriptors.Page<?> sectionOfPart(String name, RequestParameters parameters) {
        IntFunction<List<?>> find = sectionsOfParts.get(name);
        if (find == null) {
            throw new RefusedRequestException(
                    RefusedRequestException.NOT_FOUND,
                    "There is no section '" + name + "'. There are " + String.join(", ", sections()) + ".");
        }
        return page(parameters, find, Function.identity());
    }

    private static <T, D> Descriptors.Page<D> page(
            RequestParameters parameters,
            IntFunction<? extends List<? extends T>> find,
            Function<? super T, ? extends D> describe) {
        int limit = parameters.number("limit", DEFAULT_LIMIT, IdempotencyAdministration.MAX_ROWS);
        return Descriptors.Page.of(
                limit, find.apply(limit).stream().<D>map(describe).toList());
    }

    private OperationResponseBody record(RequestParameters parameters, boolean showResponse) {
        if (parameters.has("key") ? !parameters.has("scope") : parameters.has("caller")) {
            return search(parameters);
        }
        parameters.require(RECORD, List.of("scope", "key"));
        Intent intent = parameters.intent();
        Optional<IdempotencyRecord> found = administration.find(intent);
        if (found.isPresent()) {
            return Descriptors.Request.of(
                    found.get(),
                    showResponse && found.get().hasResponse()
                            ? administration.findResponse(intent).orElse(null)
                            : null,
                    stepsOf(intent),
                    downstreamKeys(intent, parameters.get("downstream")));
        }
        for (EndpointPart part : parts) {
            OperationResponseBody ofPart = part.findRecord(intent);
            if (ofPart != null) {
                return ofPart;
            }
        }
        if (!parameters.has("caller")) {
            Descriptors.Page<Descriptors.Request> ofCallers = page(
                    parameters,
                    limit -> administration.search(
                            intent.scope(), null, intent.key().value(), null, limit),
                    Descriptors.Request::of);
            if (!ofCallers.rows().isEmpty()) {
                return ofCallers;
            }
        }
        throw new RefusedRequestException(RefusedRequestException.NOT_FOUND, explainMissing(intent));
    }

    private @Nullable List<Descriptors.Step> stepsOf(Intent intent) {
        List<Descriptors.Step> steps = administration.findSteps(intent).stream()
                .map(step -> new Descriptors.Step(step, CallContext.downstreamKey(intent, null, step.name(), null)))
                .toList();
        return steps.isEmpty() ? null : steps;
    }

    /** Returns the keys that the call derives from a name, by the step that is running; outside of steps the step is empty. */
    private @Nullable Map<String, String> downstreamKeys(Intent intent, @Nullable String name) {
        if (name == null) {
            return null;
        }
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("", CallContext.downstreamKey(intent, null, name, null));
        administration
                .findSteps(intent)
                .forEach(step -> keys.put(step.name(), CallContext.downstreamKey(intent, null, name, step.name())));
        return keys;
    }

    private Descriptors.Page<Descriptors.Request> search(RequestParameters parameters) {
        String key = parameters.has("key") ? parameters.key().value() : null;
        String caller = parameters.get("caller");
        Descriptors.Page<Descriptors.Request> found = page(
                parameters,
                limit -> administration.search(parameters.get("scope"), caller, key, null, limit),
                Descriptors.Request::of);
        if (found.rows().isEmpty()) {
            throw new RefusedRequestException(
                    RefusedRequestException.NOT_FOUND,
                    "No request" + (key == null ? "" : " with the key '" + key + "'")
                            + (caller == null ? "" : " of the caller '" + caller + "'") + " is stored in "
                            + (parameters.has("scope") ? "that" : "any") + " scope. "
                            + explainHeld(holder -> (key == null
                                            || holder.intent().key().value().equals(key))
                                    && (caller == null
                                            || holder.intent().caller().equals(caller)))
                            + parts.stream().map(part -> ' ' + part.scopeHint()).collect(Collectors.joining()));
        }
        return found;
    }

    private String explainMissing(Intent intent) {
        boolean isScopeKnown =
                !administration.search(intent.scope(), null, null, null, 1).isEmpty();
        return "Nothing is stored for the " + intent + ". "
                + (isScopeKnown ? "" : "No request of that scope is stored at all: it may be misspelt. ")
                + explainHeld(holder -> holder.intent().equals(intent));
    }

    private String explainHeld(Predicate<Holder> isAskedFor) {
        return KeyOwnership.holders().stream()
                .filter(isAskedFor)
                .findFirst()
                .map(EndpointReads::explain)
                .orElseGet(() -> BlockedClaimsText.of(administration.findBlockedClaims(MAX_BLOCKED_CLAIMS)));
    }

    private static String explain(Holder holder) {
        Descriptors.RunningCall call = Descriptors.RunningCall.of(holder);
        return "This instance holds it since " + call.since() + ": "
                + (holder.hasReturned()
                        ? "its method has returned, and its transaction is still open"
                        : "its method is running")
                + ", in the thread '" + call.thread() + "'. Look that up in a thread dump.";
    }
}
