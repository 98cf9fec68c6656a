package io.idempotency.boot.interleaving;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.jdbc.core.DataClassRowMapper;

import io.idempotency.KeyReusedException;
import io.idempotency.Outcome;
import io.idempotency.boot.interleaving.Shop.Receipt;
import io.idempotency.boot.interleaving.TroubledShop.Trouble;
import io.idempotency.observation.CallCompleted;
import io.idempotency.observation.IdempotencyListener;

/**
 * A caller of a troubled method, beside one of the same key without trouble.
 *
 * @param applications that are called
 * @param trouble of the first caller
 * @param first what it does
 * @param others what the second caller and the repeats do
 */
record Troubled(Applications applications, Trouble trouble, Work first, Work others) implements Scenario {

    @Override
    public List<Actor> actors(String key) {
        return List.of(
                new Actor("a", () -> first.call(shop(0), key, trouble)),
                new Actor("b", () -> others.call(shop(1), key, Trouble.NONE)));
    }

    private TroubledShop shop(int place) {
        return applications.beans(TroubledShop.class).get(place);
    }

    @Override
    public boolean isSymmetric() {
        return false;
    }

    @Override
    public boolean isApart() {
        return !applications.areSerializable();
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = applications.leftBy(run);
        Actor troubled = run.actors().get(0);
        Actor other = run.actors().get(1);
        Set<Object> answers = new HashSet<>();
        if (troubled.failure() == null) {
            answers.add(troubled.answer());
        }
        boolean isAnswerOfOther = troubled.failure() == null
                && troubled.answer().equals(other.answer())
                && !(trouble == Trouble.FAILS_AFTER_COMMIT && troubled.attempt() > 0);
        boolean isRefused = troubled.failure() instanceof KeyReusedException && troubled.attempt() == 0;
        if (!isAnswerOfOther && !isRefused && !trouble.endsWith(troubled.failure())) {
            wrong.add("a " + (troubled.failure() == null ? "was answered" : "failed with " + troubled.failure()));
        }
        if (other.failure() == null) {
            answers.add(other.answer());
        } else {
            wrong.add("b failed with " + other.failure());
        }
        if (trouble == Trouble.FAILS_TO_SERIALIZE && other.attempt() > 1) {
            wrong.add("a failure was recorded that a repeat may not have");
        }
        for (int place = 0; place < 2; place++) {
            try {
                answers.add(others.call(shop(place), key, Trouble.NONE));
            } catch (RuntimeException failure) {
                wrong.add("a repeat failed with " + failure);
            }
        }
        answers.remove(Caller.NO_ANSWER);
        List<Receipt> effects = effects(key);
        if (effects.size() != 1 || !(answers.isEmpty() || answers.equals(Set.copyOf(effects)))) {
            wrong.add("answers " + answers + ", and effects " + effects);
        }
        if (!effects(Shop.otherKey(key)).isEmpty()) {
            wrong.add("there are effects of a call that has failed");
        }
        long reported = applications.beans(Reports.class).stream()
                .mapToLong(reports -> reports.executed(key))
                .sum();
        if (reported != effects.size()) {
            wrong.add(reported + " calls were reported as executed");
        }
        wrong.addAll(TroubledShop.violations(key));
        return wrong;
    }

    private List<Receipt> effects(String key) {
        return applications
                .database()
                .jdbc()
                .query(
                        "select id, cents from purchase where key = ?",
                        DataClassRowMapper.newInstance(Receipt.class),
                        key);
    }

    /** The use that a caller makes of a key. */
    @FunctionalInterface
    interface Work {
        Object call(TroubledShop shop, String key, Trouble trouble);
    }

    /** Counts the calls that an application reports as executed. */
    static final class Reports implements IdempotencyListener {

        private final Map<String, Integer> executed = new ConcurrentHashMap<>();

        @Override
        public void callCompleted(CallCompleted event) {
            if (event.intent() != null
                    && Set.of(Outcome.EXECUTED, Outcome.RETRIED, Outcome.RECOVERED)
                            .contains(event.outcome())) {
                executed.merge(event.intent().key().value(), 1, Integer::sum);
            }
        }

        int executed(String key) {
            return executed.getOrDefault(key, 0);
        }
    }
}
