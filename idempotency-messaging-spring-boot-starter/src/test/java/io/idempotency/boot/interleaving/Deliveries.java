package io.idempotency.boot.interleaving;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.interleaving.Receivers.Message;
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.inbox.MessageGapException;

/**
 * Brokers that deliver to the two applications in turn.
 *
 * @param applications that receive
 * @param receiving what is delivered
 * @param brokers how many there are
 * @param holdsBack whether a message that came too early is kept until all others have ended
 * @param mayConflict whether a transaction fails if another one has changed what it cannot see
 */
record Deliveries(Applications applications, Receiving receiving, int brokers, boolean holdsBack, boolean mayConflict)
        implements Scenario {

    @Override
    public List<Actor> actors(String key) {
        List<Receivers> receivers = applications.beans(Receivers.class);
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < brokers; i++) {
            Receivers ofApplication = receivers.get(i % receivers.size());
            List<Message> messages = receiving.messages(key, i);
            actors.add(new Actor(
                    String.valueOf((char) ('a' + i)), () -> receiving.deliver(ofApplication, messages, holdsBack)));
        }
        return actors;
    }

    @Override
    public boolean isSymmetric() {
        return brokers == 2 && receiving.messages("", 0).equals(receiving.messages("", 1));
    }

    @Override
    public boolean isApart() {
        return brokers <= 2 && !applications.areSerializable();
    }

    @Override
    public List<String> check(String key, Run run) {
        List<String> wrong = applications.leftBy(run);
        List<Effect> effects = effects(key);
        for (int i = 0; i < brokers; i++) {
            check(run.actors().get(i), receiving.messages(key, i), run, effects, wrong);
        }
        for (String id : failing(key)) {
            if (effects.stream().anyMatch(effect -> id.equals(idOf(key, effect.version)))) {
                wrong.add(id + " was handled, and its failures are kept");
            }
        }
        repeat(key, wrong);
        checkEnd(key, run, wrong);
        return wrong;
    }

    private void check(Actor broker, List<Message> messages, Run run, List<Effect> effects, List<String> wrong) {
        if (!(broker.answer() instanceof Delivered delivered)) {
            wrong.add(broker.name() + " did not end its deliveries");
            return;
        }
        for (Throwable failure : delivered.failures()) {
            boolean isExpected = failure instanceof MessageConflictException
                    ? messages.stream().anyMatch(message -> hasOtherPayload(message, effects))
                    : receiving.mayFailWith(failure) || mayFail(broker, failure, run);
            if (!isExpected) {
                wrong.add(broker.name() + " failed with " + failure);
            }
        }
        if (delivered.isAcknowledged()) {
            messages.stream()
                    .filter(message -> !isSettled(message, effects))
                    .forEach(message -> wrong.add(message + " was acknowledged, and there is only " + effects));
        } else if (!delivered.endedWith(MessageConflictException.class)
                && !delivered.endedWith(MessageGapException.class)) {
            wrong.add(broker.name() + " never succeeded");
        }
    }

    private boolean mayFail(Actor broker, Throwable failure, Run run) {
        return mayNotice(broker, run)
                || (mayConflict && !receiving.repeatsItself() && failure instanceof DataAccessException);
    }

    /** Returns whether a fault may reach the broker. */
    private boolean mayNotice(Actor broker, Run run) {
        return receiving.repeatsItself()
                ? Failures.ofTransactions(broker, run)
                : !broker.faults().isEmpty();
    }

    private boolean isSettled(Message message, List<Effect> effects) {
        return effects.contains(new Effect(message.version(), message.cents()))
                || receiving.isOutdated(message.version(), versions(effects));
    }

    private static boolean hasOtherPayload(Message message, List<Effect> effects) {
        return effects.stream()
                .anyMatch(effect -> effect.version == message.version() && effect.cents != message.cents());
    }

    /** Delivers everything again to each application, in the order of the versions. */
    private void repeat(String key, List<String> wrong) {
        List<List<Message>> all = IntStream.range(0, brokers)
                .mapToObj(broker -> receiving.messages(key, broker))
                .sorted(Comparator.comparing(messages -> messages.get(0).version()))
                .toList();
        for (Receivers receivers : applications.beans(Receivers.class)) {
            for (List<Message> messages : all) {
                boolean isRefused = false;
                try {
                    receiving.receive(
                            receivers,
                            messages.stream().map(Message::succeeding).toList());
                } catch (MessageConflictException conflict) {
                    isRefused = true;
                } catch (RuntimeException failure) {
                    wrong.add("a repeat failed with " + failure);
                }
                if (isRefused != hasOtherPayload(messages.get(0), effects(key))) {
                    wrong.add(messages + (isRefused ? " was" : " was not") + " refused");
                }
            }
        }
    }

    private void checkEnd(String key, Run run, List<String> wrong) {
        List<Long> handled = versions(effects(key));
        long last = IntStream.range(0, brokers)
                .mapToObj(broker -> receiving.messages(key, broker))
                .flatMap(Collection::stream)
                .mapToLong(Message::version)
                .max()
                .orElseThrow();
        if (!receiving.isComplete(handled, last)) {
            wrong.add("handled " + handled);
        }
        wrong.addAll(failing(key).stream().map(id -> id + " counts as failing").toList());
        boolean isCertain = run.actors().stream().noneMatch(broker -> mayNotice(broker, run));
        for (long version = 1; version <= last; version++) {
            int effects = Collections.frequency(handled, version);
            int reported = reported(idOf(key, version));
            if (reported > effects || (isCertain && reported < effects)) {
                wrong.add("version " + version + " was reported as handled " + reported + " times");
            }
        }
    }

    private int reported(String id) {
        return applications.beans(Outcomes.class).stream()
                .mapToInt(outcomes -> outcomes.handled(id))
                .sum();
    }

    private static String idOf(String key, long version) {
        return Message.of(key, version, 0).id();
    }

    private static List<Long> versions(List<Effect> effects) {
        return effects.stream().map(Effect::version).toList();
    }

    private List<Effect> effects(String key) {
        return jdbc().query(
                        "select version, cents from handled_message where stream = ? order by position",
                        DataClassRowMapper.newInstance(Effect.class),
                        key);
    }

    private List<String> failing(String key) {
        return jdbc().queryForList(
                        "select message_id from idempotency.message_failure where message_id like ? || '-%'",
                        String.class, key);
    }

    private JdbcTemplate jdbc() {
        return applications.database().jdbc();
    }

    private record Effect(long version, long cents) {}
}
