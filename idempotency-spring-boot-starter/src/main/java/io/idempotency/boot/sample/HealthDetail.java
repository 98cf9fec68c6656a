package io.idempotency.boot.sample;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import io.idempotency.boot.sample.SampledPart.Taken;

/** A detail of the health of the library's tables, which is fine if nothing needs attention. */
public record HealthDetail(String name, boolean isFine, Map<String, Object> members) {

    /**
     * Judges the latest sample of work that may lag.
     *
     * @param taken the sample; {@code null} if this instance has taken none yet
     * @param oldestOf returns for how long the oldest of what is to be done has been waiting
     * @param threshold the longest time that it may wait
     */
    public static <S> HealthDetail ofSample(
            String name,
            @Nullable Taken<S> taken,
            Function<S, Duration> oldestOf,
            Duration threshold,
            Duration maxSampleAge) {
        if (taken == null) {
            return of(name, State.UNKNOWN, null, threshold, null);
        }
        Duration oldest = oldestOf.apply(taken.sample());
        State state = State.FINE;
        if (taken.age().compareTo(maxSampleAge) > 0) {
            state = State.OUTDATED;
        } else if (oldest.compareTo(threshold) > 0) {
            state = State.BEHIND;
        }
        return of(name, state, oldest, threshold, taken.age());
    }

    /** Tells that another instance does the work. */
    public static HealthDetail notDoneHere(String name, Duration threshold) {
        return of(name, State.NOT_HERE, null, threshold, null);
    }

    private static HealthDetail of(
            String name, State state, @Nullable Duration oldest, Duration threshold, @Nullable Duration sampleAge) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("state", state.text);
        if (oldest != null) {
            members.put("oldest", oldest.toString());
        }
        members.put("threshold", threshold.toString());
        if (sampleAge != null) {
            members.put("sampleAge", sampleAge.toString());
        }
        return new HealthDetail(name, state != State.BEHIND && state != State.OUTDATED, members);
    }

    private enum State {
        FINE("fine"),
        BEHIND("behind"),
        OUTDATED("unknown: the latest sample of the tables is too old"),
        UNKNOWN("unknown: this instance has taken no sample yet"),
        NOT_HERE("not done by this instance");

        private final String text;

        State(String text) {
            this.text = text;
        }
    }
}
