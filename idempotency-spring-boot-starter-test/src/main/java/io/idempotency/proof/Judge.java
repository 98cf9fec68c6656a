package io.idempotency.proof;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.idempotency.proof.RecordedStatement.Kind;
import io.idempotency.proof.RecordedStatement.Moment;

/** Compares a run with the one without a fault, and says in words what is wrong, why and where. */
final class Judge {

    private final Baseline baseline;

    private final Databases databases;

    private final String when;

    private final Run run;

    Judge(Baseline baseline, Databases databases, String when, Run run) {
        this.baseline = baseline;
        this.databases = databases;
        this.when = when;
        this.run = run;
    }

    /** Returns the most telling finding, if any. */
    Optional<Finding> findWrong() {
        return Stream.<Supplier<Optional<Finding>>>of(
                        this::lostRow, this::wrongRows, this::wrongEffect, this::wrongSequence, this::wrongAnswer)
                .map(Supplier::get)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** A repeat that writes what is missing would hide that a client which was answered has no reason to repeat. */
    private Optional<Finding> lostRow() {
        List<Baseline.Difference> lost = baseline.differences(run.answered());
        if (lost.isEmpty()
                || run.unanswered()
                || !baseline.differences(run.changes()).isEmpty()) {
            return Optional.empty();
        }
        String table = lost.get(0).row().table();
        return Optional.of(new Finding(
                when + " the caller was answered, but " + lost.get(0).row().operation() + " of a row of "
                        + table.substring(table.lastIndexOf('.') + 1)
                        + " was missing until another call: the failure was swallowed outside of the transaction; it is"
                        + " written" + at(writer(table)),
                lines(lost)));
    }

    private static String at(Optional<RecordedStatement> statement) {
        return statement
                .map(RecordedStatement::place)
                .map(place -> " at " + place)
                .orElse("");
    }

    private Optional<Finding> wrongRows() {
        List<Baseline.Difference> differences = baseline.differences(run.changes());
        if (differences.isEmpty()) {
            return Optional.empty();
        }
        // A row with other values is one too many and another one too few: the one too many tells more.
        Baseline.Difference difference = differences.stream()
                .filter(each -> each.actual() > each.expected())
                .findFirst()
                .orElse(differences.get(0));
        Baseline.Row row = difference.row();
        String table = row.table().substring(row.table().lastIndexOf('.') + 1);
        String happened = happened(difference, count(row, baseline.run().changes()), count(row, run.changes()));
        return Optional.of(new Finding(
                when + " a row of " + table + " was " + happened + ": " + reason(row.table(), happened),
                lines(differences)));
    }

    static String lines(List<Baseline.Difference> differences) {
        return differences.stream()
                .map(each -> "  " + each.row().operation() + " " + each.row().table() + " "
                        + each.row().columns() + ": " + each.expected() + " expected, " + each.actual() + " found")
                .collect(Collectors.joining("\n"));
    }

    private String happened(Baseline.Difference difference, long expectedOfTable, long actualOfTable) {
        String verb = switch (difference.row().operation()) {
            case "INSERT" -> "written";
            case "UPDATE" -> "changed";
            default -> "deleted";
        };
        if (actualOfTable == 0) {
            return "not " + verb;
        }
        if (actualOfTable < expectedOfTable) {
            return verb + " " + times(actualOfTable) + " and not " + times(expectedOfTable);
        }
        if (actualOfTable > expectedOfTable) {
            return expectedOfTable == 0
                    ? verb
                    : verb + " " + times(actualOfTable)
                            + (expectedOfTable == 1 ? "" : " and not " + times(expectedOfTable));
        }
        return verb + " with other values";
    }

    private static String times(long count) {
        return count == 1 ? "once" : count == 2 ? "twice" : count + " times";
    }

    private long count(Baseline.Row row, List<Change> changes) {
        return baseline.effects(changes).stream()
                .filter(change ->
                        change.table().equals(row.table()) && change.operation().equals(row.operation()))
                .count();
    }

    private String reason(String table, String happened) {
        Optional<RecordedStatement> writer = writer(table);
        String place = at(writer);
        Optional<RecordedStatement> claim = find(RecordedStatement::isLibraryClaim);
        if (claim.isEmpty()) {
            return "no key was claimed, because the method is not @Idempotent or was not called through its Spring proxy; it"
                    + " is written" + place;
        }
        if (!baseline.hasStableKeys()) {
            return "calls with the same intent claimed different keys (" + baseline.keysOfBoth()
                    + "), so the key is made inside; it is written" + place;
        }
        if (writer.isEmpty()) {
            return trigger();
        }
        if (happened.startsWith("not")
                && claimTransactions().contains(writer.get().transaction())) {
            return "the transaction of the claim was committed although an exception was thrown in it, which was caught, or"
                    + " which noRollbackFor names; it is written" + place;
        }
        return "it is written " + manner(writer.get(), claim.get(), happened) + place;
    }

    private String manner(RecordedStatement writer, RecordedStatement claim, String happened) {
        if (!writer.url().equals(claim.url())) {
            return "through another DataSource, which does not commit with the claim,";
        }
        if (all().filter(RecordedStatement::isLibraryClaim)
                .noneMatch(each -> each.thread().equals(writer.thread()))) {
            return "on another thread, outside of the transaction,";
        }
        if (writer.moment() == Moment.TRANSACTIONAL_EVENT_LISTENER) {
            return "after the commit, by a @TransactionalEventListener,";
        }
        if (writer.moment() == Moment.AFTER_COMPLETION) {
            return "after the commit, in a TransactionSynchronization,";
        }
        if (claimTransactions().contains(writer.transaction())) {
            return "in the transaction of the claim,";
        }
        boolean isBefore = run.statements().stream()
                .filter(statement -> statement.call() == writer.call() && statement.isLibraryClaim())
                .findFirst()
                .map(own -> own.number() > writer.number())
                .orElse(false);
        if (isBefore) {
            return "before the key is claimed" + (writer.autoCommit() ? ", with auto-commit," : "");
        }
        if (writer.autoCommit()) {
            return "with auto-commit, outside of the transaction,";
        }
        if (!writer.managed()) {
            return "on a connection of its own, which it commits itself,";
        }
        String manner = isLeased()
                ? "before the completion of a leased call, and commits alone,"
                : "in a transaction of its own (REQUIRES_NEW)";
        return happened.startsWith("not") ? manner + ", whose failure was swallowed," : manner;
    }

    /** A leased call claims in one transaction and completes in another one. */
    private boolean isLeased() {
        return baseline.run().statements().stream()
                        .filter(RecordedStatement::isLibraryClaim)
                        .map(RecordedStatement::transaction)
                        .distinct()
                        .count()
                > 1;
    }

    private String trigger() {
        return all().filter(statement -> statement.kind() == Kind.APPLICATION && databases.isTriggering(statement))
                .findFirst()
                .map(statement -> "it is written by a trigger, fired by " + statement.summary()
                        + (statement.place() == null ? "" : " at " + statement.place()))
                .orElse(
                        "it is not written by a statement of the application, but by a function of the database, another"
                                + " process, or a connection of no DataSource that is a bean");
    }

    /** Prefers the statement that is outside of the transaction of the claim. Messages are written by the library. */
    private Optional<RecordedStatement> writer(String table) {
        Set<String> claims = claimTransactions();
        return find(statement -> statement.writes(table) && !claims.contains(statement.transaction()))
                .or(() -> find(statement -> statement.writes(table)));
    }

    private Set<String> claimTransactions() {
        return all().filter(RecordedStatement::isLibraryClaim)
                .map(RecordedStatement::transaction)
                .collect(Collectors.toSet());
    }

    private Optional<RecordedStatement> find(Predicate<RecordedStatement> predicate) {
        return all().filter(predicate).findFirst();
    }

    private Stream<RecordedStatement> all() {
        return Stream.concat(run.statements().stream(), baseline.run().statements().stream());
    }

    private Optional<Finding> wrongEffect() {
        Map<String, List<EffectProbe.Sighting>> usual = byEffect(baseline.run());
        Map<String, List<EffectProbe.Sighting>> now = byEffect(run);
        return Stream.concat(now.keySet().stream(), usual.keySet().stream())
                .distinct()
                .map(effect ->
                        wrongEffect(effect, usual.getOrDefault(effect, List.of()), now.getOrDefault(effect, List.of())))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private Optional<Finding> wrongEffect(
            String effect, List<EffectProbe.Sighting> usual, List<EffectProbe.Sighting> now) {
        List<EffectProbe.Sighting> placed = now.isEmpty() ? usual : now;
        Place place = placed.get(placed.size() - 1).place();
        String at = place == null ? "" : " at " + place;
        String subject = when + " the effect '" + effect + "' was ";
        if (withoutKey(now) > withoutKey(usual)) {
            return Optional.of(new Finding(
                    subject + "seen " + times(withoutKey(now))
                            + " outside of the database: it has no downstream key by which a repeat is recognized" + at,
                    ""));
        }
        if (keys(now).size() > keys(usual).size()) {
            return Optional.of(new Finding(
                    subject + "seen with " + keys(now).size()
                            + " downstream keys: a repeat must have the same one, see IdempotencyContext.downstreamKey,"
                            + at,
                    "  " + keys(now)));
        }
        long lost = withoutKey(usual)
                + keys(usual).size()
                - withoutKey(now)
                - keys(now).size();
        return lost == 0
                ? Optional.empty()
                : Optional.of(new Finding(
                        subject + (now.isEmpty() ? "not seen" : "seen " + lost + " times less than without a fault")
                                + ": the call that makes it is lost with the fault" + at,
                        ""));
    }

    private static long withoutKey(List<EffectProbe.Sighting> sightings) {
        return sightings.stream()
                .filter(sighting -> sighting.downstreamKey() == null)
                .count();
    }

    private static Set<String> keys(List<EffectProbe.Sighting> sightings) {
        return sightings.stream()
                .map(EffectProbe.Sighting::downstreamKey)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Map<String, List<EffectProbe.Sighting>> byEffect(Run of) {
        return of.sightings().stream().collect(Collectors.groupingBy(EffectProbe.Sighting::effect));
    }

    private Optional<Finding> wrongSequence() {
        return run.numbers().entrySet().stream()
                .filter(sequence -> baseline.isCounter(sequence.getKey()))
                .filter(sequence -> sequence.getValue().count() > usualCount(sequence.getKey()))
                .findFirst()
                .map(sequence -> {
                    String name = sequence.getKey();
                    String place = find(statement -> statement.kind() == Kind.APPLICATION
                                    && statement.sql().contains(name.substring(name.lastIndexOf('.') + 1)))
                            .map(statement -> " at " + statement.place())
                            .orElse("");
                    return new Finding(
                            when + " the sequence " + name + " was advanced by "
                                    + sequence.getValue().count() + " and not by " + usualCount(name)
                                    + ": a rollback does not take its numbers back, so they must not count anything"
                                    + place,
                            "");
                });
    }

    private long usualCount(String sequence) {
        Numbers usual = baseline.run().numbers().get(sequence);
        return usual == null ? 0 : usual.count();
    }

    private Optional<Finding> wrongAnswer() {
        if (run.unanswered()) {
            Throwable last = run.failures().get(run.failures().size() - 1);
            Place place = Place.of(last.getStackTrace());
            return Optional.of(new Finding(
                    when + " a call got no answer, however often it was repeated: " + last
                            + (place == null ? "" : " at " + place),
                    ""));
        }
        Map<String, String> first = run.answers().get(0);
        return run.answers().stream()
                .filter(answer -> !answer.equals(first) || !baseline.isUsual(answer))
                .findFirst()
                .map(answer -> new Finding(
                        when + " a caller got another answer"
                                + (answer.equals(first) ? " than without a fault" : " than the first one")
                                + (find(RecordedStatement::isLibraryClaim).isEmpty()
                                        ? ": no key was claimed, because the method is not @Idempotent or was not called"
                                                + " through its Spring proxy"
                                        : ""),
                        "  " + (answer.equals(first) ? baseline.answer() : first) + "\n  " + answer));
    }
}
