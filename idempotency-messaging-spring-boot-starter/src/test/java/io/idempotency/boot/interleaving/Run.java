package io.idempotency.boot.interleaving;

import java.util.List;

/**
 * A schedule that was run.
 *
 * @param actors as they ended
 * @param schedule the steps
 * @param labels what each step did
 * @param stuck the reason if some did not end; {@code null} if all did
 */
record Run(List<Actor> actors, Schedule schedule, List<String> labels, String stuck) {

    /** Tells the schedule, for a person and for {@link Schedule#parse}. */
    String describe() {
        StringBuilder text = new StringBuilder(schedule.toString());
        for (int i = 0; i < labels.size(); i++) {
            text.append(String.format("%n  %2d. %s", i + 1, labels.get(i)));
        }
        actors.forEach(actor -> text.append(String.format("%n  %s", actor)));
        return text.toString();
    }
}
