package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.interleaving.Recipient.Refusal;
import io.idempotency.boot.interleaving.Recipient.Sending;

/**
 * Callers that place orders of one customer, and relays that send the messages, of the two applications in turn.
 *
 * @param applications that are called
 * @param orders how many are placed
 * @param callers of each order
 * @param relays how many of them send a batch
 * @param refusal of the first message of each order
 */
record Publications(Applications applications, int orders, int callers, int relays, Refusal refusal)
        implements Scenario {

    /** The attempts at a message, which is dead after them and keeps no other one back. */
    static final int MOST_ATTEMPTS = 3;

    private static final String RELAY = "relay-";

    private static final int MOST_BATCHES = 8;

    /** As if the time until the next attempt were over. */
    private static final String END_DELAYS = """
            update idempotency.outbox_event
            set next_attempt_at = statement_timestamp()
            where ordering_key = ? and status = 'pending' and next_attempt_at > statement_timestamp()""";

    /** Without callers the orders were placed before. */
    @Override
    public List<Actor> actors(String key) {
        if (callers == 0) {
            IntStream.range(0, orders).forEach(order -> place(0, key, order));
        }
        List<Actor> actors = new ArrayList<>();
        for (int order = 0; order < orders; order++) {
            for (int i = 0; i < callers; i++) {
                int application = order + i;
                int number = order;
                actors.add(new Actor("order-" + number + (char) ('a' + i), () -> place(application, key, number)));
            }
        }
        List<Relay> all = applications.beans(Relay.class);
        for (int i = 0; i < relays; i++) {
            Relay relay = all.get((i + 1) % all.size());
            actors.add(new Actor(RELAY + (char) ('a' + i), relay::sendBatch));
        }
        return actors;
    }

    private UUID place(int application, String customer, int order) {
        List<Orders> all = applications.beans(Orders.class);
        return all.get(application % all.size()).place(customer + "-" + order, customer, refusal);
    }

    @Override
    public boolean isSymmetric() {
        return callers == 0 && relays == 2;
    }

    @Override
    public boolean isApart() {
        return orders * callers + relays <= 2;
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = applications.leftBy(run);
        List<Object> answers = new ArrayList<>();
        for (Actor actor : run.actors()) {
            boolean mayFail = isRelay(actor.name()) ? !actor.faults().isEmpty() : Failures.ofTransactions(actor, run);
            if (actor.failure() != null && !mayFail) {
                wrong.add(actor.name() + " failed with " + actor.failure());
            } else if (actor.failure() == null && !isRelay(actor.name())) {
                answers.add(actor.answer());
            }
        }
        for (int order = 0; order < orders; order++) {
            answers.add(place(0, key, order));
            answers.add(place(1, key, order));
        }
        List<UUID> placed =
                jdbc().queryForList("select id from placed_order where customer = ? order by number", UUID.class, key);
        if (placed.size() != orders || !Set.copyOf(answers).equals(Set.copyOf(placed))) {
            wrong.add("placed " + placed + ", and answered " + answers);
        }
        sendRest(key, wrong);
        checkSendings(key, placed, run, wrong);
        return wrong;
    }

    private static boolean isRelay(String actor) {
        return actor.startsWith(RELAY);
    }

    private void sendRest(String key, List<String> wrong) {
        for (int i = 0; i < MOST_BATCHES && isAnyPending(key); i++) {
            jdbc().update(END_DELAYS, key);
            applications.beans(Relay.class).forEach(Relay::sendBatch);
        }
        if (isAnyPending(key)) {
            wrong.add("messages stay pending");
        }
    }

    private boolean isAnyPending(String key) {
        return Boolean.TRUE.equals(jdbc().queryForObject(
                        "select exists (select from idempotency.outbox_event where ordering_key = ? and status = 'pending')",
                        Boolean.class,
                        key));
    }

    private void checkSendings(String key, List<UUID> placed, Run run, List<String> wrong) {
        List<String> expected = placed.stream()
                .flatMap(id -> Orders.TYPES.stream().map(type -> id + " " + type))
                .toList();
        long faultsOfRelays = run.schedule().steps().stream()
                .filter(step -> step.fault() != null && isRelay(step.actor()))
                .count();
        List<Sending> sendings = Recipient.sendings(applications.beans(Recipient.class), key);
        Set<String> accepted = new HashSet<>();
        for (Sending sending : sendings) {
            int position = expected.indexOf(sending.name());
            if (position < 0) {
                wrong.add(sending.name() + " was sent and never published");
            } else if (!accepted.containsAll(expected.subList(0, position))) {
                wrong.add(sending.name() + " was sent too early");
            }
            if (!sending.isRefused() || sending.message().attempt() == MOST_ATTEMPTS) {
                accepted.add(sending.name());
            }
        }
        boolean hasFaults = run.schedule().steps().stream().anyMatch(step -> step.fault() != null);
        sendings.stream()
                .filter(sending -> !hasFaults && !sending.isRefused())
                .filter(sending -> sending.name().equals(expected.get(0)))
                .filter(sending -> sending.message().attempt() != attemptOfFirst())
                .forEach(sending -> wrong.add(sending.name() + " was sent in attempt "
                        + sending.message().attempt()));
        for (String name : expected) {
            boolean isRefused = refusal == Refusal.FAILS_EACH_TIME && name.endsWith(Orders.TYPES.get(0));
            long times = sendings.stream()
                    .filter(sending ->
                            sending.isRefused() == isRefused && sending.name().equals(name))
                    .count();
            long fewest = isRefused ? MOST_ATTEMPTS : 1;
            if (times < fewest || times > fewest + faultsOfRelays) {
                wrong.add(name + " was sent " + times + " times");
            }
        }
    }

    /** Nothing is sent beside the first message, so that an outage is none of its attempts. */
    private int attemptOfFirst() {
        return refusal == Refusal.FAILS || refusal == Refusal.THROWS ? 2 : 1;
    }

    private JdbcTemplate jdbc() {
        return applications.database().jdbc();
    }
}
