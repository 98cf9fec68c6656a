package io.idempotency.boot.actuate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyRecord;
import io.idempotency.Intent;
import io.idempotency.boot.actuate.Descriptors.One;
import io.idempotency.boot.actuate.Descriptors.Page;
import io.idempotency.boot.actuate.EndpointPart.Section;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.internal.call.attempt.KeyOwnership;
import io.idempotency.internal.call.attempt.KeyOwnership.Holder;

/** The read operations of the endpoint. */
final class EndpointReads {

    private static final int DEFAULT_LIMIT = 50;

    private static final int MAX_BLOCKED_CLAIMS = 20;

    private static final String RECORD = "record";

    private final IdempotencyAdministration administration;

    private final List<SampledPart<?>> samples;

    private final List<EndpointPart> parts;

    private final Map<String, Section> sections = new LinkedHashMap<>();

    EndpointReads(IdempotencyAdministration administration, List<SampledPart<?>> samples, List<EndpointPart> parts) {
        this.administration = administration;
        this.samples = List.copyOf(samples);
        this.parts = List.copyOf(parts);
        parts.forEach(part -> sections.putAll(part.sections()));
    }

    /** Returns the overview, which is made without a query. */
    Map<String, Object> overview() {
        Map<String, Object> members = new LinkedHashMap<>();
        for (SampledPart<?> part : samples) {
            SampledPart.Taken<?> taken = part.taken();
            if (taken != null) {
                members.put(part.name(), taken);
            }
        }
        members.put("sections", sections());
        return OperationResponseBody.of(members);
    }

    private List<String> sections() {
        List<String> names = new ArrayList<>(sections.keySet());
        names.add(RECORD);
        return names;
    }

    OperationResponseBody section(String name, RequestParameters parameters) {
        if (name.equals(RECORD)) {
            return record(parameters);
        }
        Section section = sections.get(name);
        if (section == null) {
            throw new RefusedRequestException(
                    RefusedRequestException.NOT_FOUND,
                    "There is no section '" + name + "'. There are " + String.join(", ", sections()) + ".");
        }
        return page(section, parameters);
    }

    private static Page page(Section section, RequestParameters parameters) {
        int limit = parameters.number("limit", DEFAULT_LIMIT, IdempotencyAdministration.MAX_ROWS);
        return Page.of(limit, section.find(limit, parameters));
    }

    private OperationResponseBody record(RequestParameters parameters) {
        if (parameters.has("key") ? !parameters.has("scope") : parameters.has("caller")) {
            return search(parameters);
        }
        parameters.require(RECORD, List.of("scope", "key"));
        Intent intent = parameters.intent();
        Optional<Row> found = parts.stream()
                .flatMap(part -> part.findRecord(intent, parameters).stream())
                .findFirst();
        if (found.isPresent()) {
            return new One(found.get());
        }
        if (!parameters.has("caller")) {
            Page ofCallers = page(requests(intent.scope(), null, intent.key().value()), parameters);
            if (!ofCallers.rows().isEmpty()) {
                return ofCallers;
            }
        }
        throw new RefusedRequestException(RefusedRequestException.NOT_FOUND, explainMissing(intent));
    }

    private Section requests(@Nullable String scope, @Nullable String caller, @Nullable String key) {
        return (limit, parameters) ->
                Row.of(administration.search(scope, caller, key, null, limit), IdempotencyRecord::intent);
    }

    private Page search(RequestParameters parameters) {
        String key = parameters.has("key") ? parameters.key().value() : null;
        String caller = parameters.get("caller");
        Page found = page(requests(parameters.get("scope"), caller, key), parameters);
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
                            + parts.stream()
                                    .map(EndpointPart::scopeHint)
                                    .filter(hint -> !hint.isEmpty())
                                    .map(hint -> ' ' + hint)
                                    .collect(Collectors.joining()));
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
        return "This instance holds it since " + Instant.now().minus(holder.heldFor()) + ": "
                + (holder.hasReturned()
                        ? "its method has returned, and its transaction is still open"
                        : "its method is running")
                + ", in the thread '" + holder.thread() + "'. Look that up in a thread dump.";
    }
}
