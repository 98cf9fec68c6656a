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
 * @param idsInOrder whether ids of messages begin with the time
 */
record Variant(
        Duration linkDelay, long rows, boolean countsRows, int responseBytes, boolean batched, boolean idsInOrder) {

    static Variant of(Duration linkDelay) {
        return new Variant(linkDelay, 0, false, 0, false, false);
    }

    Variant withRows(long count) {
        return new Variant(linkDelay, count, true, responseBytes, batched, idsInOrder);
    }

    Variant withResponseBytes(int bytes) {
        return new Variant(linkDelay, rows, countsRows, bytes, batched, idsInOrder);
    }

    Variant withBatchedEffects() {
        return new Variant(linkDelay, rows, countsRows, responseBytes, true, idsInOrder);
    }

    Variant withIdsInOrder() {
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
        if (idsInOrder) {
            parts.add("ids=time-ordered");
        }
        return parts.isEmpty() ? "default" : String.join(" ", parts);
    }

    private static String milliseconds(Duration duration) {
        String text = Double.toString(duration.toNanos() / 1e6);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}
