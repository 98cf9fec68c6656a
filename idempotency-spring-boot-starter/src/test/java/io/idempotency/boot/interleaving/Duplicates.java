package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.interleaving.Applications.Calls;

/**
 * Callers of one key with one payload, of the two applications in turn.
 *
 * @param applications that are called
 * @param calls what the callers do
 * @param callers how many there are
 * @param expires whether an actor {@value #EXPIRY} lets the lease expire that is held then
 * @param failures which callers need not be answered
 */
record Duplicates(Applications applications, Calls calls, int callers, boolean expires, Failures failures)
        implements Scenario {

    private static final String EXPIRY = "expiry";

    @Override
    public List<Actor> actors(String key) {
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            Shop shop = shop(i);
            actors.add(new Actor(String.valueOf((char) ('a' + i)), () -> calls.call(shop, key)));
        }
        if (expires) {
            actors.add(new Actor(EXPIRY, () -> {
                shop(0).expireLease(key);
                return null;
            }));
        }
        return actors;
    }

    private Shop shop(int i) {
        List<Shop> shops = applications.shops();
        return shops.get(i % shops.size());
    }

    @Override
    public boolean isSymmetric() {
        return callers == 2 && !expires;
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = applications.leftBy(run);
        List<Object> answers = new ArrayList<>();
        for (Actor actor : run.actors()) {
            if (actor.name().equals(EXPIRY)) {
                continue;
            }
            if (actor.failure() == null) {
                answers.add(actor.answer());
            } else if (!failures.mayFail(actor, run)) {
                wrong.add(actor.name() + " was not answered");
            }
        }
        int effects = effects(key);
        if (effects > 1 || (effects == 0 && !answers.isEmpty())) {
            wrong.add(effects + " effects and " + answers.size() + " answers before the repeat");
        }
        answers.addAll(repeat(key, wrong));
        if (answers.stream().distinct().count() != 1) {
            wrong.add("different answers " + answers);
        }
        int effectsAfterwards = effects(key);
        if (effectsAfterwards != 1) {
            wrong.add(effectsAfterwards + " effects after the repeat");
        }
        return wrong;
    }

    /** Repeats the call in each application, after any lease is over. */
    private List<Object> repeat(String key, List<String> wrong) {
        List<Object> answers = new ArrayList<>();
        shop(0).expireLease(key);
        for (Shop shop : applications.shops()) {
            try {
                answers.add(calls.call(shop, key));
            } catch (RuntimeException failure) {
                wrong.add("a repeat failed with " + failure);
            }
        }
        return answers;
    }

    private int effects(String key) {
        JdbcTemplate jdbc = applications.database().jdbc();
        return jdbc.queryForList("select id from purchase where key = ?", UUID.class, key)
                .size();
    }
}
