package io.idempotency.proof;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a scenario does without a fault, of two runs in two different seconds. Values that differ between the two are random, times
 * or numbers of sequences, and are not compared.
 */
final class Baseline {

    private static final String VOLATILE = "*";

    /** Tables of tools that migrate schemas. */
    private static final Set<String> HISTORIES =
            Set.of("flyway_schema_history", "databasechangelog", "databasechangeloglock");

    private static final String OUTBOX = "outbox_event";

    private static final Set<String> CLAIMS = Set.of("idempotency_request", "processed_message");

    static final Set<String> LIBRARY_TABLES = Set.of(
            "idempotency_request",
            "idempotency_request_archive",
            "message_failure",
            "message_failure_archive",
            OUTBOX,
            "outbox_event_archive",
            "owner",
            "processed_message",
            "processed_message_archive",
            "processed_message_head",
            "processed_message_partition",
            "purge_lease",
            "stream_position");

    private static final Pattern NUMBER = Pattern.compile("\\d{1,18}");

    private static final Pattern TIME_OR_UUID =
            Pattern.compile("'(?:\\d{4}-\\d\\d-\\d\\d.*|\\p{XDigit}{8}-(?:\\p{XDigit}{4}-){3}\\p{XDigit}{12})'?");

    private final Set<String> ignored;

    private final String librarySchema;

    private final Set<String> volatileColumns = new TreeSet<>();

    private final Set<String> volatileMembers = new TreeSet<>();

    private final Map<Row, Integer> rows;

    private final Map<String, String> answer;

    private final Run first;

    private final Run run;

    Baseline(Run first, Run second, Set<String> ignored, String librarySchema) {
        this.first = first;
        this.run = second;
        this.ignored = ignored;
        this.librarySchema = librarySchema;
        findVolatileColumns(first, second);
        Map<String, String> one = first.answers().get(0);
        Map<String, String> other = second.answers().get(0);
        Set<String> members = new TreeSet<>(one.keySet());
        members.addAll(other.keySet());
        members.stream()
                .filter(member -> !Objects.equals(one.get(member), other.get(member)))
                .forEach(volatileMembers::add);
        this.rows = rowsOf(second.changes());
        this.answer = withoutVolatile(other);
    }

    /** A row that was written, without volatile values. */
    record Row(String table, String operation, Map<String, String> columns) {}

    /**
     * A row that was written more or less often than without a fault.
     *
     * @param row the row
     * @param expected times without a fault
     * @param actual times in this run
     */
    record Difference(Row row, int expected, int actual) {}

    Run run() {
        return run;
    }

    /** Returns whether both runs, which have the same intent, claimed the same keys. */
    boolean hasStableKeys() {
        return first.keys().equals(run.keys());
    }

    String keysOfBoth() {
        return String.join(", ", first.keys()) + " and " + String.join(", ", run.keys());
    }

    /** Returns the rows of both that differ; empty if the scenario always does the same. */
    List<Difference> differencesOfBoth() {
        return differences(first.changes());
    }

    List<Difference> differences(List<Change> changes) {
        Map<Row, Integer> actual = rowsOf(changes);
        List<Difference> differences = new ArrayList<>();
        rows.forEach((row, count) -> {
            int found = actual.getOrDefault(row, 0);
            if (found != count) {
                differences.add(new Difference(row, count, found));
            }
        });
        actual.forEach((row, count) -> {
            if (!rows.containsKey(row)) {
                differences.add(new Difference(row, 0, count));
            }
        });
        return differences;
    }

    /** Returns whether an answer is what a run without a fault gets, apart from what differs between any two. */
    boolean isUsual(Map<String, String> other) {
        return withoutVolatile(other).equals(answer);
    }

    Map<String, String> answer() {
        return answer;
    }

    List<Change> effects(List<Change> changes) {
        return changes.stream().filter(this::isEffect).toList();
    }

    /** Returns whether a run without a fault has no effect that could be compared. */
    boolean hasNoEffect() {
        return effects(run.changes()).isEmpty() && run.sightings().isEmpty() && !run.failedFinally();
    }

    /** Returns whether the numbers of a sequence are in no column, so that they count something. */
    boolean isCounter(String sequence) {
        Set<String> columns = columnsWithNumbersOf(sequence, first);
        columns.retainAll(columnsWithNumbersOf(sequence, run));
        return first.numbers().containsKey(sequence) && run.numbers().containsKey(sequence) && columns.isEmpty();
    }

    private Set<String> columnsWithNumbersOf(String sequence, Run other) {
        Set<String> columns = new TreeSet<>();
        Numbers numbers = other.numbers().get(sequence);
        if (numbers == null) {
            return columns;
        }
        for (Change change : effects(other.changes())) {
            change.columns().forEach((column, value) -> {
                if (!TIME_OR_UUID.matcher(value).matches()
                        && NUMBER.matcher(value)
                                .results()
                                .mapToLong(number -> Long.parseLong(number.group()))
                                .anyMatch(numbers::contains)) {
                    columns.add(key(change, column));
                }
            });
        }
        return columns;
    }

    private boolean isEffect(Change change) {
        if (ignored.contains(change.tableName() + ".*") || HISTORIES.contains(change.tableName())) {
            return false;
        }
        // A message is an effect, but its later states are the relay's work.
        return !isOfLibrary(change)
                || (change.tableName().equals(OUTBOX) && change.operation().equals("INSERT"));
    }

    /** Returns the transactions in which the library writes of a call or a message. */
    Set<Long> claimTransactions(List<Change> changes) {
        return changes.stream()
                .filter(change -> CLAIMS.contains(change.tableName()) && isOfLibrary(change))
                .map(Change::transaction)
                .collect(Collectors.toSet());
    }

    private boolean isOfLibrary(Change change) {
        return LIBRARY_TABLES.contains(change.tableName())
                && change.table().equals(librarySchema + "." + change.tableName());
    }

    private void findVolatileColumns(Run one, Run other) {
        Map<String, List<String>> inOne = valuesByColumn(one);
        Map<String, List<String>> inOther = valuesByColumn(other);
        inOne.forEach((column, values) -> {
            if (!values.equals(inOther.get(column))) {
                volatileColumns.add(column);
            }
        });
    }

    private Map<String, List<String>> valuesByColumn(Run other) {
        Map<String, List<String>> values = new HashMap<>();
        for (Change change : effects(other.changes())) {
            change.columns()
                    .forEach((column, value) -> values.computeIfAbsent(key(change, column), key -> new ArrayList<>())
                            .add(value));
        }
        values.values().forEach(list -> list.sort(null));
        return values;
    }

    private Map<Row, Integer> rowsOf(List<Change> changes) {
        return effects(changes).stream()
                .map(this::row)
                .collect(Collectors.toMap(
                        Function.identity(),
                        row -> 1,
                        Integer::sum,
                        () -> new TreeMap<>(Comparator.comparing(Row::toString))));
    }

    private Row row(Change change) {
        Map<String, String> columns = new TreeMap<>();
        change.columns().forEach((column, value) -> columns.put(column, isVolatile(change, column) ? VOLATILE : value));
        return new Row(change.table(), change.operation(), columns);
    }

    private boolean isVolatile(Change change, String column) {
        return volatileColumns.contains(key(change, column)) || ignored.contains(change.tableName() + "." + column);
    }

    /** Returns the columns that differ without a fault. */
    Set<String> notCompared() {
        return volatileColumns;
    }

    /** Returns the members of the answer that differ without a fault. A repeat in the same run must get the same ones. */
    List<String> comparedInRun() {
        return volatileMembers.stream().map(member -> "answer" + member).toList();
    }

    private static String key(Change change, String column) {
        return change.table() + " " + change.operation() + " " + column;
    }

    Map<String, String> withoutVolatile(Map<String, String> members) {
        Map<String, String> stable = new TreeMap<>(members);
        stable.keySet().removeAll(volatileMembers);
        return stable;
    }
}
