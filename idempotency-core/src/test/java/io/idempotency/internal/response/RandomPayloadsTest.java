package io.idempotency.internal.response;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random payloads of random classes: fields, getters, hidden members, trees and collections of other libraries. Equal payloads
 * have equal fingerprints and others different ones, or they are refused.
 */
@Tag("full")
class RandomPayloadsTest {

    private static final int TYPES = TestSize.pick(500, 10_000);

    private static final int PAIRS = 25;

    private static final int CHANGES = 8;

    private static final Map<Class<?>, Function<Random, Object>> FOREIGN = ForeignValues.leaves();

    private final Fingerprinter fingerprinter = new Fingerprinter(new JsonMapper());

    private final List<String> wrong = new ArrayList<>();

    private final Map<String, Integer> outcomes = new TreeMap<>();

    private final Map<String, Integer> refusals = new TreeMap<>();

    @Test
    void differIfAndOnlyIfTheirFingerprintsDo() {
        long seed = Long.getLong("idempotency.test.seed", 20_260_203L);
        Random random = new Random(seed);
        RandomTypes types = new RandomTypes(random, FOREIGN.keySet());
        for (int i = 0; i < TYPES; i++) {
            ResolvableType type = types.next();
            // A text that an application makes of an object may have its identity hash.
            for (int pair = 0; pair < PAIRS && !type.toString().contains("AsText"); pair++) {
                check(type, random.nextLong(), random);
            }
        }

        System.out.printf(
                "%d pairs of payloads of %d types: %s (seed %d).%n",
                outcomes.values().stream().mapToInt(Integer::intValue).sum(), TYPES, outcomes, seed);
        refusals.forEach((reason, count) -> System.out.println(count + " " + reason));
        assertThat(wrong).isEmpty();
        assertThat(outcomes)
                .allSatisfy((outcome, count) -> assertThat(count).as(outcome).isGreaterThan(TYPES * PAIRS / 50));
    }

    private void check(ResolvableType type, long seed, Random random) {
        CountingRandom counting = new CountingRandom(seed, -1);
        Object one = value(type, counting);
        Object other = value(type, new CountingRandom(seed, -1));
        String portrait = PayloadPortrait.of(one);
        for (int i = 0; i < CHANGES && portrait.equals(PayloadPortrait.of(other)) && random.nextInt(8) > 0; i++) {
            other = value(type, new CountingRandom(seed, random.nextInt(counting.count + 1)));
        }
        boolean isEqual = portrait.equals(PayloadPortrait.of(other));
        try {
            Fingerprint fingerprint = fingerprinter.of(one, type.getType());
            if (fingerprint.equals(fingerprinter.of(other, type.getType())) != isEqual) {
                wrong.add(type + (isEqual ? " equal:" : " different:") + "\n" + portrait + "\n"
                        + PayloadPortrait.of(other));
            }
            count(outcomes, isEqual ? "equal" : "different");
        } catch (PayloadNotFingerprintableException refused) {
            count(outcomes, isEqual ? "equal, refused" : "different, refused");
            count(
                    refusals,
                    refused.getMessage()
                            .replaceAll("\\(at .*", "")
                            .replaceAll("io\\.idempotency[\\w.]+\\$\\w+", "a class")
                            .replaceAll("'\\w+'", "'m'"));
        }
    }

    private static void count(Map<String, Integer> counts, String name) {
        counts.merge(name, 1, Integer::sum);
    }

    private static @Nullable Object value(ResolvableType type, Random random) {
        return new RandomValues(random, FOREIGN).of(type);
    }

    /** A source of random numbers one of which may differ from those of its seed, so that one part of a payload does. */
    private static final class CountingRandom extends Random {

        private static final long serialVersionUID = 1L;

        private final int changed;

        private int count;

        CountingRandom(long seed, int changed) {
            super(seed);
            this.changed = changed;
        }

        @Override
        protected int next(int bits) {
            int next = super.next(bits);
            return count++ == changed ? next ^ ((1 << Math.min(bits, 30)) - 1) : next;
        }
    }
}
