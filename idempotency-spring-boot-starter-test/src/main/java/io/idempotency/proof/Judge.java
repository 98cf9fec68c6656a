package io.idempotency.proof;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.idempotency.proof.RecordedStatement.Kind;

/** Compares a run with the one without a fault, and says in words what is wrong, why and where. */
final class Judge {

    private final Baseline baseline;

    private final WriteOrigin origin;

    private final String when;

    private final Run run;

    Judge(Baseline baseline, Writers writers, String when, Run run) {
        this.baseline = baseline;
        this.origin = new WriteOrigin(baseline, writers, run);
        this.when = when;
        this.run = run;
    }

    /** Returns the most telling finding, if any. */
    Optional<Finding> findWrong() {
        return Stream.<Supplier<Optional<Finding>>>of(
                        this::noAnswer,
                        this::lostRow,
                        this::wrongRows,
                        this::wrongEffect,
                        this::wrongSequence,
                        this::wrongAnswer)
                .map(Supplier::get)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Its rows are missing for that reason alone. */
    private Optional<Finding> noAnswer() {
        if (!run.unanswered()) {
            return Optional.empty();
        }
        Throwable last = run.failures().get(run.failures().size() - 1);
        Place place = Place.of(last.getStackTrace());
        return Optional.of(new Finding(
                "no answer, " + last.getClass().getName() + " " + place,
                when + " a call got no answer, however often it was repeated: " + Report.shortened(last.toString())
                        + (place == null ? "" : " at " + place),
                lines(baseline.differences(run.changes())),
                place));
    }

    /** A repeat that writes what is missing would hide that a client which was answered has no reason to repeat. */
    private Optional<Finding> lostRow() {
        List<Baseline.Difference> lost = mostTellingFirst(baseline.differences(run.answered()));
        if (lost.isEmpty() || !baseline.differences(run.changes()).isEmpty()) {
            return Optional.empty();
        }
        String table = lost.get(0).row().table();
        Optional<RecordedStatement> writer = origin.writer(table);
        String place = WriteOrigin.at(writer);
        return Optional.of(new Finding(
                "lost row" + table + place,
                when + " the caller was answered, but " + lost.get(0).row().operation() + " of a row of "
                        + table.substring(table.lastIndexOf('.') + 1)
                        + " was missing until another call: the failure was swallowed outside of the transaction; it is"
                        + " written" + place,
                lines(lost),
                WriteOrigin.place(writer)));
    }

    private Optional<Finding> wrongRows() {
        List<Baseline.Difference> differences = mostTellingFirst(baseline.differences(run.changes()));
        if (differences.isEmpty()) {
            return Optional.empty();
        }
        Baseline.Difference difference = differences.get(0);
        Baseline.Row row = difference.row();
        String table = row.table().substring(row.table().lastIndexOf('.') + 1);
        long expected = count(row, baseline.run().changes());
        long actual = count(row, run.changes());
        String happened = happened(difference, expected, actual);
        String reason = origin.reason(row.table(), actual < expected);
        return Optional.of(new Finding(
                "row of " + table + ": " + reason,
                when + " a row of " + table + " was " + happened + ": " + reason,
                lines(differences),
                WriteOrigin.place(origin.writer(row.table()))));
    }

    /**
     * A difference outside of the claim's transaction causes those within it, and an earlier write causes later differences. A row
     * with other values is one too many and another one too few: the one too many tells more.
     */
    private List<Baseline.Difference> mostTellingFirst(List<Baseline.Difference> differences) {
        Set<String> claims = origin.claimTransactions();
        return differences.stream()
                .sorted(Comparator.<Baseline.Difference>comparingInt(
                                difference -> origin.writer(difference.row().table())
                                        .map(writer -> claims.contains(writer.transaction()) ? 1 : 0)
                                        .orElse(2))
                        .thenComparingInt(difference -> difference.actual() > difference.expected() ? 0 : 1)
                        .thenComparingInt(
                                difference -> origin.writer(difference.row().table())
                                        .map(RecordedStatement::number)
                                        .orElse(0)))
                .toList();
    }

    static String lines(List<Baseline.Difference> differences) {
        return Report.shortened(
                differences,
                "\n",
                each -> "  " + each.row().operation() + " " + each.row().table() + " "
                        + Report.shortened(each.row().columns()) + ": " + each.expected() + " expected, "
                        + each.actual() + " found");
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
        Place place = place(usual, now);
        String at = place == null ? "" : " at " + place;
        String cause = "effect " + effect + at;
        String subject = when + " the effect '" + effect + "' was ";
        if (withoutKey(now) > withoutKey(usual)) {
            return Optional.of(new Finding(
                    cause + " without key",
                    subject + "seen " + times(withoutKey(now))
                            + " outside of the database: it has no downstream key by which a repeat is recognized" + at,
                    "",
                    place));
        }
        if (keys(now).size() > keys(usual).size()) {
            return Optional.of(new Finding(
                    cause + " with keys",
                    subject + "seen with " + keys(now).size()
                            + " downstream keys: a repeat must have the same one, see IdempotencyContext.downstreamKey,"
                            + at,
                    "  " + keys(now),
                    place));
        }
        long lost = withoutKey(usual)
                + keys(usual).size()
                - withoutKey(now)
                - keys(now).size();
        return lost == 0
                ? Optional.empty()
                : Optional.of(new Finding(
                        cause + " lost",
                        subject + (now.isEmpty() ? "not seen" : "seen " + lost + " times less than without a fault")
                                + ": the call that makes it is lost with the fault" + at,
                        "",
                        place));
    }

    /** Returns where the effect is seen too often, with no key if that is what is wrong; otherwise where it was seen last. */
    private static @Nullable Place place(List<EffectProbe.Sighting> usual, List<EffectProbe.Sighting> now) {
        boolean isWithoutKey = withoutKey(now) > withoutKey(usual);
        List<Place> before = places(usual, isWithoutKey);
        List<Place> after = places(now, isWithoutKey);
        List<Place> tooMany = new ArrayList<>(after);
        before.forEach(tooMany::remove);
        List<Place> any = tooMany.isEmpty() ? after.isEmpty() ? before : after : tooMany;
        return any.isEmpty() ? null : any.get(any.size() - 1);
    }

    private static List<Place> places(List<EffectProbe.Sighting> sightings, boolean isWithoutKey) {
        return sightings.stream()
                .filter(sighting -> !isWithoutKey || sighting.downstreamKey() == null)
                .map(EffectProbe.Sighting::place)
                .filter(Objects::nonNull)
                .toList();
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
                    Optional<RecordedStatement> caller = origin.find(statement -> statement.kind() == Kind.APPLICATION
                            && statement.sql().contains(name.substring(name.lastIndexOf('.') + 1)));
                    return new Finding(
                            "sequence " + name,
                            when + " the sequence " + name + " was advanced by "
                                    + sequence.getValue().count() + " and not by " + usualCount(name)
                                    + ": a rollback does not take its numbers back, so they must not count anything"
                                    + WriteOrigin.at(caller),
                            "",
                            WriteOrigin.place(caller));
                });
    }

    private long usualCount(String sequence) {
        Numbers usual = baseline.run().numbers().get(sequence);
        return usual == null ? 0 : usual.count();
    }

    private Optional<Finding> wrongAnswer() {
        Map<String, String> first = run.answers().get(0);
        return run.answers().stream()
                .filter(answer -> !answer.equals(first) || !baseline.isUsual(answer))
                .findFirst()
                .map(answer -> {
                    boolean isSame = answer.equals(first);
                    Map<String, String> expected = isSame ? baseline.answer() : first;
                    Map<String, String> actual = isSame ? baseline.withoutVolatile(answer) : answer;
                    return new Finding(
                            "answer",
                            when + " a caller got another answer"
                                    + (isSame ? " than without a fault" : " than the first one")
                                    + differing(expected, actual)
                                    + (origin.find(RecordedStatement::isLibraryClaim)
                                                    .isEmpty()
                                            ? ": no key was claimed, because the method is not @Idempotent or was not"
                                                    + " called through its Spring proxy"
                                            : ""),
                            "  " + Report.shortened(expected) + "\n  " + Report.shortened(actual),
                            WriteOrigin.place(origin.find(RecordedStatement::isLibraryClaim)));
                });
    }

    private static String differing(Map<String, String> expected, Map<String, String> answer) {
        Set<String> members = new TreeSet<>(expected.keySet());
        members.addAll(answer.keySet());
        members.removeIf(member -> Objects.equals(expected.get(member), answer.get(member)));
        members.remove("");
        return members.isEmpty() ? "" : " in " + String.join(", ", members);
    }
}
