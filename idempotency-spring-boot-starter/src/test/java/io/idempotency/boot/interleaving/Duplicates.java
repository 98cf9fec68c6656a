package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.interleaving.Applications.Calls;

/** Callers of one key with one payload, of the two applications in turn. */
final class Duplicates implements Scenario {

    private final Applications applications;

    private final JdbcTemplate jdbc;

    private final Calls calls;

    private final int callers;

    Duplicates(Applications applications, int callers, Calls calls) {
        this.applications = applications;
        this.jdbc = applications.database().jdbc();
        this.calls = calls;
        this.callers = callers;
    }

    @Override
    public List<Actor> actors(String key) {
        List<Shop> shops = applications.shops();
        return IntStream.range(0, callers)
                .mapToObj(i ->
                        new Actor(String.valueOf((char) ('a' + i)), () -> calls.call(shops.get(i % shops.size()), key)))
                .toList();
    }

    @Override
    public boolean isSymmetric() {
        return callers == 2;
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = new ArrayList<>(applications.leftInSessions());
        if (run.stuck() != null) {
            wrong.add(run.stuck());
        }
        List<UUID> effects = effects(key);
        List<Object> answers = new ArrayList<>();
        for (Actor actor : run.actors()) {
            if (!actor.leftovers().isEmpty()) {
                wrong.add(actor.name() + " has left" + actor.leftovers());
            }
            if (actor.failure() == null) {
                answers.add(actor.answer());
            } else if (actor.faults().stream().allMatch(Fault::isHidden)) {
                wrong.add(actor.name() + " was not answered");
            }
        }
        if (effects.size() > 1 || (effects.isEmpty() && !answers.isEmpty())) {
            wrong.add(effects.size() + " effects and " + answers.size() + " answers before the repeat");
        }
        answers.addAll(repeat(key, wrong));
        if (answers.stream().distinct().count() != 1) {
            wrong.add("different answers " + answers);
        }
        List<UUID> effectsAfterwards = effects(key);
        if (effectsAfterwards.size() != 1) {
            wrong.add(effectsAfterwards.size() + " effects after the repeat");
        }
        return wrong;
    }

    private List<Object> repeat(String key, List<String> wrong) {
        List<Object> answers = new ArrayList<>();
        for (Shop shop : applications.shops()) {
            try {
                answers.add(calls.call(shop, key));
            } catch (RuntimeException failure) {
                wrong.add("a repeat failed with " + failure);
            }
        }
        return answers;
    }

    private List<UUID> effects(String key) {
        return jdbc.queryForList("select id from purchase where key = ?", UUID.class, key);
    }
}
