package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import org.springframework.jdbc.core.DataClassRowMapper;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.LeaseLostException;
import io.idempotency.boot.interleaving.Shop.Receipt;

/**
 * Callers of one key with one payload, beside others who change its row.
 *
 * @param applications that are called
 * @param calls what the callers do
 * @param places the number of the application that each caller calls
 * @param past the row of the key before
 * @param interventions what others do to its row, beginning with one in the second application, and then in the two in turn
 */
record CallersBeside(
        Applications applications,
        ScopedCalls<?> calls,
        List<Integer> places,
        Past past,
        List<Intervention> interventions)
        implements Scenario {

    /** Tells it from others in the log. */
    String name() {
        return (calls.scope() + "-" + places + "-" + past + "-" + interventions)
                .replace(" ", "")
                .toLowerCase(Locale.ROOT);
    }

    @Override
    public List<Actor> actors(String key) {
        past.bringAbout(key, calls, applications);
        List<Actor> callers = new ArrayList<>();
        for (int place : places) {
            String name = String.valueOf((char) ('a' + callers.size()));
            callers.add(new Actor(name, () -> calls.call(applications, place, key)));
        }
        Intent intent = new Intent(calls.scope(), "", new IdempotencyKey(key));
        List<Actor> actors = new ArrayList<>(callers);
        for (int i = 0; i < interventions.size(); i++) {
            Intervention intervention = interventions.get(i);
            int place = (i + 1) % 2;
            actors.add(new Actor(
                    intervention.name().toLowerCase(Locale.ROOT) + (i == 0 ? "" : i),
                    () -> intervene(intervention, place, intent, callers)));
        }
        return actors;
    }

    /** A caller that waits for the row claims it at once when the change is committed. It has lost nothing, so it is not looked at later. */
    private Change intervene(Intervention intervention, int place, Intent intent, List<Actor> callers) {
        AtomicReference<Set<Actor>> running = new AtomicReference<>();
        Actor.looksBeforeCommit(() -> running.set(callers.stream()
                .filter(caller -> caller.attempt() > 0 && !caller.isDone())
                .collect(Collectors.toSet())));
        boolean isDone = intervention.perform(applications, place, intent, callers);
        boolean hasEnded = isDone && intervention.endsLease();
        return new Change(intervention, isDone, true, hasEnded ? Objects.requireNonNull(running.get()) : Set.of());
    }

    @Override
    public boolean isSymmetric() {
        return interventions.isEmpty() && places.size() == 2;
    }

    @Override
    public boolean isApart() {
        return places.stream().distinct().count() == places.size()
                && !interventions.contains(Intervention.RESUMPTION)
                && !interventions.contains(Intervention.INTERRUPTION)
                && !applications.areSerializable();
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = applications.leftBy(run);
        List<Actor> others = run.actors().subList(places.size(), run.actors().size());
        boolean hasFailures =
                run.actors().stream().anyMatch(actor -> !actor.faults().isEmpty() || actor.failure() != null);
        if (!hasFailures
                && !interventions.isEmpty()
                && Set.of(Intervention.RESUMPTION).containsAll(interventions)) {
            long runs =
                    run.actors().stream().filter(actor -> actor.attempt() > 0).count();
            if (runs != 1) {
                wrong.add(runs + " have run the method");
            }
        }
        others.stream()
                .filter(other -> other.failure() != null && other.faults().isEmpty())
                .forEach(other -> wrong.add(other.name() + " failed"));
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < others.size(); i++) {
            changes.add(
                    others.get(i).answer() instanceof Change change ? change : Change.unknown(interventions.get(i)));
        }
        List<Object> answers = new ArrayList<>();
        for (Actor caller : run.actors().subList(0, places.size())) {
            if (caller.failure() == null) {
                answers.add(caller.answer());
                if (caller.faults().isEmpty() && changes.stream().anyMatch(change -> change.ended.contains(caller))) {
                    wrong.add(caller.name() + " was answered after its lease was ended");
                }
            } else if (!calls.failures().mayFail(caller, run) && !hasLostLease(caller, changes)) {
                wrong.add(caller.name() + " was not answered");
            }
        }
        List<Object> repeated = repeat(key, wrong);
        if (repeated.stream().distinct().count() != 1) {
            wrong.add("the repeats got " + repeated);
        }
        answers.addAll(repeated);
        checkEffects(
                effects(key),
                answers,
                changes.stream().filter(Change::mayBeDone).toList(),
                wrong);
        return wrong;
    }

    private static boolean hasLostLease(Actor caller, List<Change> changes) {
        return caller.failure() instanceof LeaseLostException
                && changes.stream().anyMatch(change -> change.mayHaveEnded(caller));
    }

    private static void checkEffects(
            List<Receipt> effects, List<Object> answers, List<Change> changes, List<String> wrong) {
        int fewest = changes.stream()
                .mapToInt(change -> change.intervention.fewestEffects())
                .min()
                .orElse(1);
        int most = changes.stream()
                .mapToInt(change -> change.intervention.mostEffects())
                .max()
                .orElse(1);
        if (effects.size() < fewest || effects.size() > most) {
            wrong.add(effects.size() + " effects");
        }
        Set<Object> different = new HashSet<>(answers);
        if (different.size() > most) {
            wrong.add("different answers " + different);
        }
        different.removeAll(effects);
        changes.forEach(change -> different.remove(change.intervention.answer()));
        if (!different.isEmpty()) {
            wrong.add("answers without an effect " + different);
        }
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

    /** Repeats the call in each application, after any lease is over. */
    private List<Object> repeat(String key, List<String> wrong) {
        applications.shops().get(0).expireLease(key);
        List<Object> answers = new ArrayList<>();
        for (int place = 0; place < 2; place++) {
            try {
                answers.add(calls.call(applications, place, key));
            } catch (RuntimeException failure) {
                wrong.add("a repeat failed with " + failure);
            }
        }
        return answers;
    }

    /**
     * The result of an intervention.
     *
     * @param intervention that was tried
     * @param mayBeDone whether it has changed the row, or may have
     * @param isCertain whether that is known
     * @param ended the callers that ran when it was committed, and have lost their leases by it
     */
    private record Change(Intervention intervention, boolean mayBeDone, boolean isCertain, Set<Actor> ended) {

        static Change unknown(Intervention intervention) {
            return new Change(intervention, true, false, Set.of());
        }

        boolean mayHaveEnded(Actor caller) {
            return ended.contains(caller) || (!isCertain && intervention.endsLease());
        }
    }
}
