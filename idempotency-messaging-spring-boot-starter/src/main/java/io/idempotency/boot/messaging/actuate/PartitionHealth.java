package io.idempotency.boot.messaging.actuate;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.idempotency.boot.actuate.HealthDetail;
import io.idempotency.messaging.PartitionSample;

/** The health of partitions. Seven are added ahead, so there is time left when too few are reported. */
final class PartitionHealth {

    private static final int FEWEST_AHEAD = 4;

    private static final Duration LONGEST_OVERDUE = Duration.ofHours(1);

    private static final String FINE = "fine";

    private PartitionHealth() {}

    static HealthDetail of(PartitionSample table) {
        return new HealthDetail("partitions", stateOf(table).equals(FINE), Map.of(table.table(), detailsOf(table)));
    }

    private static Map<String, Object> detailsOf(PartitionSample table) {
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

    private static String stateOf(PartitionSample table) {
        if (table.overdue().compareTo(LONGEST_OVERDUE) > 0) {
            return "the next partition could not be opened";
        }
        if (table.ahead() < FEWEST_AHEAD) {
            return "no instance adds partitions";
        }
        return table.problems().isEmpty() ? FINE : "needs attention";
    }
}
