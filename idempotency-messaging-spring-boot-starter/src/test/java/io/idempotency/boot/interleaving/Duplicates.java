package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Callers of one key with one payload, of the two applications in turn.
 *
 * @param applications that are called
 * @param callers what the actors do
 * @param repeat what is called in each application afterwards
 */
record Duplicates(Applications applications, List<Caller<?>> callers, Caller<?> repeat) implements Scenario {

    /** Some callers that do the same. */
    static Duplicates of(Applications applications, Caller<?> caller, int count) {
        return new Duplicates(applications, Collections.nCopies(count, caller), caller);
    }

    @Override
    public List<Actor> actors(String key) {
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < callers.size(); i++) {
            int application = i;
            actors.add(new Actor(
                    String.valueOf((char) ('a' + i)),
                    () -> callers.get(application).call(applications, application, key)));
        }
        return actors;
    }

    @Override
    public boolean isSymmetric() {
        return callers.size() == 2 && Set.copyOf(callers).size() == 1;
    }

    @Override
    public boolean isApart() {
        return !applications.areSerializable()
                && callers.stream()
                                .filter(caller -> !caller.equals(Caller.EXPIRY))
                                .count()
                        <= 2;
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = applications.leftBy(run);
        List<Object> answers = new ArrayList<>();
        for (int i = 0; i < callers.size(); i++) {
            Actor actor = run.actors().get(i);
            if (actor.failure() != null) {
                if (!callers.get(i).failures().mayFail(actor, run)) {
                    wrong.add(actor.name() + " was not answered");
                }
            } else if (actor.answer() != Caller.NO_ANSWER) {
                answers.add(actor.answer());
            }
        }
        List<Integer> effects = effects(key);
        if (!(answers.isEmpty() ? Set.of(1).containsAll(effects) : effects.equals(effectsOf(answers.get(0))))) {
            wrong.add(effects + " effects and " + answers.size() + " answers before the repeat");
        }
        answers.addAll(repeat(key, wrong));
        if (answers.stream().distinct().count() != 1) {
            wrong.add("different answers " + answers);
        }
        List<Integer> effectsAfterwards = effects(key);
        if (answers.isEmpty() || !effectsAfterwards.equals(effectsOf(answers.get(0)))) {
            wrong.add(effectsAfterwards + " effects after the repeat");
        }
        return wrong;
    }

    /** Repeats the call in each application, after any lease is over. */
    private List<Object> repeat(String key, List<String> wrong) {
        List<Object> answers = new ArrayList<>();
        applications.shops().get(0).expireLease(key);
        for (int i = 0; i < 2; i++) {
            try {
                answers.add(repeat.call(applications, i, key));
            } catch (RuntimeException failure) {
                wrong.add("a repeat failed with " + failure);
            }
        }
        return answers;
    }

    /** Returns how many effects each of the keys has. */
    private List<Integer> effects(String key) {
        return applications
                .database()
                .jdbc()
                .queryForList(
                        "select count(*) from purchase where key in (?, ?) group by key",
                        Integer.class,
                        key,
                        Shop.otherKey(key));
    }

    private static List<Integer> effectsOf(Object answer) {
        if (answer instanceof FailingShop.Refusal) {
            return List.of();
        }
        return Collections.nCopies(answer instanceof List<?> ofKeys ? ofKeys.size() : 1, 1);
    }
}
