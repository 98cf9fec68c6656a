package io.idempotency.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What tells measurements of one job apart.
 *
 * @param linkDelay in each direction
 * @param rows there already
 * @param countsRows whether the number of rows matters
 * @param responseBytes of a response; 0 for the usual one
 * @param batched whether the effects of a batch of messages are batches of the driver
 * @param randomIds whether ids of messages are in no order, instead of beginning with the time
 */
record Variant(
        Duration linkDelay, long rows, boolean countsRows, int responseBytes, boolean batched, boolean randomIds) {

    static Variant of(Duration linkDelay) {
        return new Variant(linkDelay, 0, false, 0, false, false);
    }

    Variant withRows(long count) {
        return new Variant(linkDelay, count, true, responseBytes, batched, randomIds);
    }

    Variant withResponseBytes(int bytes) {
        return new Variant(linkDelay, rows, countsRows, bytes, batched, randomIds);
    }

    Variant withBatchedEffects() {
        return new Variant(linkDelay, rows, countsRows, responseBytes, true, randomIds);
    }

    Variant withRandomIds() {
        return new Variant(linkDelay, rows, countsRows, responseBytes, batched, true);
    }

    /** As in the results, without a comma. */
    String name() {
        List<String> parts = new ArrayList<>();
        if (!linkDelay.isZero()) {
            parts.add("link=" + milliseconds(linkDelay) + "ms");
        }
        if (countsRows) {
            parts.add("rows=" + rows);
        }
        if (responseBytes > 0) {
            parts.add("response=" + responseBytes);
        }
        if (batched) {
            parts.add("effects=batched");
        }
        if (randomIds) {
            parts.add("ids=random");
        }
        return parts.isEmpty() ? "default" : String.join(" ", parts);
    }

    private static String milliseconds(Duration duration) {
        String text = Double.toString(duration.toNanos() / 1e6);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}
