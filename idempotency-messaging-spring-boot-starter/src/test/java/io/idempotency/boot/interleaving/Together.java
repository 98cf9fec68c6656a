package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.interleaving.Ledger.Attempt;
import io.idempotency.boot.interleaving.Ledger.Part;
import io.idempotency.boot.interleaving.Ledger.Place;
import io.idempotency.boot.interleaving.Ledger.Trouble;

/** Two transactions of one key, each of which does several things with the library at random, and something may go wrong in it. */
class Together implements Scenario {

    private static final int MOST_PARTS = 4;

    private final Applications applications;

    private final Set<Trouble> troubles;

    private final Random random;

    private List<Attempt> attempts = List.of();

    /**
     * Creates the scenario.
     *
     * @param seed the same again gives the same transactions
     */
    Together(Applications applications, Set<Trouble> troubles, long seed) {
        this.applications = applications;
        this.troubles = troubles;
        this.random = new Random(seed);
    }

    @Override
    public List<Actor> actors(String key) {
        attempts = attempts(key);
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < attempts.size(); i++) {
            Ledger ledger = ledgers().get(i);
            Attempt attempt = attempts.get(i);
            actors.add(new Actor(String.valueOf((char) ('a' + i)), () -> {
                ledger.make(attempt);
                return attempt;
            }));
        }
        return actors;
    }

    /** Returns the transactions of a key, one for each of two applications. */
    List<Attempt> attempts(String key) {
        return List.of(attempt(key), attempt(key));
    }

    /** In the order of their names, so that two of them do not wait for each other. */
    private Attempt attempt(String key) {
        List<Part> parts = Stream.generate(() -> oneOf(Part.values()))
                .limit(1 + random.nextInt(MOST_PARTS))
                .distinct()
                .sorted()
                .toList();
        Trouble trouble = random.nextBoolean() ? Trouble.NONE : oneOf(troubles.toArray(Trouble[]::new));
        return new Attempt(key, parts, trouble, oneOf(Place.values()));
    }

    @SafeVarargs
    private <T> T oneOf(T... all) {
        return all[random.nextInt(all.length)];
    }

    private List<Ledger> ledgers() {
        return applications.beans(Ledger.class);
    }

    @Override
    public boolean isSymmetric() {
        return false;
    }

    @Override
    public boolean isApart() {
        return false;
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = applications.leftInSessions();
        if (run.stuck() != null) {
            wrong.add(run.stuck());
        }
        List<Attempt> all = new ArrayList<>(attempts);
        for (int i = 0; i < attempts.size(); i++) {
            Actor actor = run.actors().get(i);
            if (!actor.leftovers().isEmpty()) {
                wrong.add(actor.name() + " has left" + actor.leftovers());
            }
            if (actor.failure() != null
                    && actor.faults().isEmpty()
                    && attempts.get(i).isUntroubled()) {
                wrong.add(actor.name() + " has failed");
            }
            if (actor.failure() == null && attempts.get(i).mustFail()) {
                wrong.add(actor.name() + " was acknowledged in spite of its trouble");
            }
        }
        compare(key, all, wrong);
        for (Ledger ledger : ledgers()) {
            Attempt repeat = new Attempt(key, List.of(Part.values()), Trouble.NONE, Place.AT_THE_END);
            all.add(repeat);
            ledger.make(repeat);
        }
        compare(key, all, wrong);
        if (!wrong.isEmpty()) {
            wrong.add("by " + attempts);
        }
        return wrong;
    }

    private void compare(String key, List<Attempt> all, List<String> wrong) {
        JdbcTemplate jdbc = applications.database().jdbc();
        List<Entry> entries = jdbc.query(
                "select name, id, entered_by from entry where key = ?",
                DataClassRowMapper.newInstance(Entry.class),
                key);
        Map<String, UUID> once = new HashMap<>();
        for (Entry entry : entries) {
            if (entry.isOfKey() && once.put(entry.name, entry.id) != null) {
                wrong.add(entry.name + " is there twice");
            }
        }
        for (Attempt attempt : all) {
            Set<String> kept = entries.stream()
                    .filter(entry -> entry.enteredBy.equals(attempt.id()))
                    .map(Entry::name)
                    .collect(Collectors.toSet());
            boolean isKept = kept.equals(attempt.entered());
            if (!isKept && (attempt.isAcknowledged() || !kept.isEmpty())) {
                wrong.add(kept + " are there of " + attempt.entered());
            }
            if (kept.contains(Part.MESSAGE.name()) != isPublished(jdbc, attempt)) {
                wrong.add("an entry or its message is not there");
            }
            if (attempt.isAcknowledged()) {
                attempt.answers().forEach((name, id) -> {
                    if (!once.containsKey(name) || (id != null && !id.equals(once.get(name)))) {
                        wrong.add(name + " was answered with " + id + " and is " + once.get(name));
                    }
                });
            }
        }
    }

    private static boolean isPublished(JdbcTemplate jdbc, Attempt attempt) {
        return jdbc.queryForObject(
                "select exists (select from idempotency.outbox_event where deduplication_key = ?)",
                Boolean.class,
                attempt.id().toString());
    }

    private record Entry(String name, UUID id, UUID enteredBy) {

        boolean isOfKey() {
            return !name.equals(Part.MESSAGE.name()) && !name.equals(Ledger.APART);
        }
    }
}
