package io.idempotency.proof;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * One run of a scenario, with all of its calls.
 *
 * @param strike the fault; {@code null} if there was none
 * @param struck whether the fault has struck
 * @param statements what it sent
 * @param transactions transactions of the statements by their ids in the server, as far as they are known
 * @param answered what was committed when all callers had their answers
 * @param repeated what was committed by a repeat after that
 * @param answers what callers got, member by member
 * @param failures what callers got instead of an answer
 * @param unanswered whether a caller got no answer at all
 * @param sightings what was seen outside of the database
 * @param keys keys that were claimed
 * @param payloadRefused whether a call was refused because its payload was another one
 * @param failedFinally whether a call ended with a failure that was recorded as final
 * @param numbers what sequences that fill no column of their own have given
 * @param millis duration
 */
record Run(
        StatementRecorder.@Nullable Strike strike,
        boolean struck,
        List<RecordedStatement> statements,
        Map<Long, String> transactions,
        List<Change> answered,
        List<Change> repeated,
        List<Map<String, String>> answers,
        List<Throwable> failures,
        boolean unanswered,
        List<EffectProbe.Sighting> sightings,
        Set<String> keys,
        boolean payloadRefused,
        boolean failedFinally,
        Map<String, Numbers> numbers,
        long millis) {

    List<Change> changes() {
        return Stream.concat(answered.stream(), repeated.stream()).toList();
    }
}
