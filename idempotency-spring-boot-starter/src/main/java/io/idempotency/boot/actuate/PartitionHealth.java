package io.idempotency.boot.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.idempotency.observation.PartitionSample;

/**
 * The health of partitions. Seven are added ahead, so there is time left when too few are reported.
 *
 * @param tables the partitioned tables
 */
record PartitionHealth(List<PartitionSample> tables) {

    private static final int FEWEST_AHEAD = 4;

    private static final Duration LONGEST_OVERDUE = Duration.ofHours(1);

    boolean isFine() {
        return tables.stream().allMatch(table -> stateOf(table).equals("fine"));
    }

    Map<String, Object> details() {
        Map<String, Object> details = new LinkedHashMap<>();
        tables.forEach(table -> details.put(table.table(), detailsOf(table)));
        return details;
    }

    private Map<String, Object> detailsOf(PartitionSample table) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", stateOf(table));
        details.put("partitions", table.partitions());
        details.put("ahead", table.ahead());
        details.put("overdue", table.overdue().toString());
        details.put("detachPending", table.detachPending());
        if (!table.problems().isEmpty()) {
            details.put("problems", table.problems());
        }
        return details;
    }

    private String stateOf(PartitionSample table) {
        if (table.overdue().compareTo(LONGEST_OVERDUE) > 0) {
            return "the next partition could not be opened";
        }
        if (table.ahead() < FEWEST_AHEAD) {
            return "no instance adds partitions";
        }
        return table.problems().isEmpty() ? "fine" : "needs attention";
    }
}
