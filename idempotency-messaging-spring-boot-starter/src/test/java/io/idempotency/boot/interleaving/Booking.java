package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.LeaseLostException;
import io.idempotency.TransactionFailedException;
import io.idempotency.boot.interleaving.Shop.Receipt;
import io.idempotency.boot.interleaving.Trips.NotBookedException;

/**
 * Callers that book one trip, in the two applications in turn.
 *
 * @param applications that are called
 * @param kind how they book
 * @param callers how many there are
 * @param expires whether the lease of one of them expires
 */
record Booking(Applications applications, Kind kind, int callers, boolean expires) implements Scenario {

    private static final String REPEATED_RECORDS = """
            select step.name
            from idempotency.idempotency_request, jsonb_to_recordset(steps) as step (name text)
            where idempotency_key = ?
            group by step.name
            having count(*) > 1""";

    @Override
    public List<Actor> actors(String key) {
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < callers; i++) {
            int place = i;
            actors.add(new Actor(String.valueOf((char) ('a' + i)), () -> book(place, key, place == 0)));
        }
        if (expires) {
            actors.add(new Actor("expiry", () -> {
                trips(1).expireLease(key);
                return Caller.NO_ANSWER;
            }));
        }
        return actors;
    }

    private Object book(int place, String key, boolean isFirst) {
        return kind.booking.book(trips(place), key, isFirst);
    }

    private Trips trips(int place) {
        return applications.beans(Trips.class).get(place % 2);
    }

    @Override
    public boolean isSymmetric() {
        return false;
    }

    @Override
    public boolean isApart() {
        return callers <= 2 && !expires && !applications.areSerializable();
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = applications.leftBy(run);
        List<Object> answers = new ArrayList<>();
        for (Actor caller : run.actors().subList(0, callers)) {
            if (caller.failure() == null) {
                answers.add(caller.answer());
            } else if (!kind.failures.mayFail(caller, run)) {
                wrong.add(caller.name() + " was not answered");
            }
        }
        repeat(key, answers, wrong);
        if (answers.stream().distinct().count() != 1) {
            wrong.add("different answers " + answers);
        }
        checkEffects(key, answers, wrong);
        wrong.addAll(jdbc().queryForList(REPEATED_RECORDS, String.class, key).stream()
                .map(name -> name + " is recorded twice")
                .toList());
        wrong.addAll(Trips.violations(key));
        return wrong;
    }

    /** Repeats the call in each application, after any lease is over. */
    private void repeat(String key, List<Object> answers, List<String> wrong) {
        applications.shops().get(0).expireLease(key);
        for (int place = 0; place < 2; place++) {
            try {
                answers.add(book(place, key, false));
            } catch (RuntimeException failure) {
                wrong.add("a repeat failed with " + failure);
            }
        }
    }

    /** A row that is not made in the transaction of its step's record may be made again if that record fails. */
    private void checkEffects(String key, List<Object> answers, List<String> wrong) {
        List<Receipt> first = receipts(key);
        List<Receipt> second = receipts(Shop.otherKey(key));
        if (kind.isFirstExact ? first.size() != 1 : first.isEmpty()) {
            wrong.add("the first step has " + first.size() + " effects");
        }
        boolean isSecondExact = kind.isSecondExact && !expires;
        if (isSecondExact ? second.size() != 1 : second.isEmpty()) {
            wrong.add("the second step has " + second.size() + " effects");
        }
        for (Object answer : answers) {
            if (!(answer instanceof List<?> receipts
                    && first.contains(receipts.get(0))
                    && second.contains(receipts.get(1)))) {
                wrong.add(answer + " was answered, and there is " + first + " and " + second);
            }
        }
    }

    private List<Receipt> receipts(String key) {
        return jdbc().query(
                        "select id, cents from purchase where key = ?",
                        (row, number) -> new Receipt(row.getObject("id", UUID.class), row.getLong("cents")),
                        key);
    }

    private JdbcTemplate jdbc() {
        return applications.database().jdbc();
    }

    /** How a trip is booked, and which callers need not be answered. */
    @SuppressWarnings("ImmutableEnumChecker") // Its functions have no state.
    enum Kind {
        CAREFUL(true, true, (trips, key, isFirst) -> trips.careful(key), Kind::mayLoseItsLease),
        REPEATED(true, false, (trips, key, isFirst) -> trips.repeated(key), Kind::keepsItsLease),
        CARELESS(false, false, (trips, key, isFirst) -> trips.careless(key), Failures::afterFaults),
        SWALLOWING(
                true,
                true,
                Trips::swallowing,
                (caller, run) -> caller.name().equals("a") && caller.failure() instanceof TransactionFailedException),
        EXTENDING(true, true, (trips, key, isFirst) -> trips.extending(key), Failures::ofLeasesThatExpire);

        private final boolean isFirstExact;

        private final boolean isSecondExact;

        private final transient Books booking;

        private final transient Failures failures;

        Kind(boolean isFirstExact, boolean isSecondExact, Books booking, Failures failures) {
            this.isFirstExact = isFirstExact;
            this.isSecondExact = isSecondExact;
            this.booking = booking;
            this.failures = failures;
        }

        /** The trip fails with another exception than the library's. */
        private static boolean mayLoseItsLease(Actor caller, Run run) {
            return Failures.ofLeasesThatExpire(caller, run)
                    || (caller.failure() instanceof NotBookedException
                            && run.actors().stream().anyMatch(other -> other.attempt() > caller.attempt()));
        }

        /** Nobody takes the lease over, whatever else fails. */
        private static boolean keepsItsLease(Actor caller, Run run) {
            return Failures.afterFaults(caller, run) && !(caller.failure() instanceof LeaseLostException);
        }

        void warmUp(Trips trips, String key) {
            booking.book(trips, this + key, false);
        }
    }

    @FunctionalInterface
    private interface Books {
        Object book(Trips trips, String key, boolean isFirst);
    }
}
