package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import io.idempotency.KeyReusedException;

/**
 * Two callers of one key with two payloads: one of them is refused.
 *
 * @param applications that are called
 */
record OtherPayload(Applications applications) implements Scenario {

    @Override
    public List<Actor> actors(String key) {
        return List.of(
                new Actor("a", () -> applications.shops().get(0).transactional(key, 5)),
                new Actor("b", () -> applications.shops().get(1).transactional(key, 7)));
    }

    @Override
    public boolean isSymmetric() {
        return true;
    }

    @Override
    public boolean isApart() {
        return true;
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = applications.leftBy(run);
        List<Object> answers = new ArrayList<>();
        for (Actor actor : run.actors()) {
            if (actor.failure() == null) {
                answers.add(actor.answer());
            } else if (!(actor.failure() instanceof KeyReusedException) && !Failures.ofTransactions(actor, run)) {
                wrong.add(actor.name() + " was not answered");
            }
        }
        List<Long> refused = new ArrayList<>();
        for (long cents : new long[] {5, 7}) {
            try {
                answers.add(applications.shops().get(0).transactional(key, cents));
            } catch (KeyReusedException reused) {
                refused.add(cents);
            }
        }
        if (answers.stream().distinct().count() != 1 || refused.size() != 1) {
            wrong.add("answers " + answers + ", and a repeat was refused with " + refused);
        }
        List<UUID> effects =
                applications.database().jdbc().queryForList("select id from purchase where key = ?", UUID.class, key);
        if (effects.size() != 1) {
            wrong.add(effects.size() + " effects");
        }
        return wrong;
    }
}
