package io.idempotency.sample.cluster;

import java.util.List;

import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.FinalState.Transfer;

/**
 * All that is known of a key.
 *
 * @param attempts with it
 * @param failed whether it has a recorded failure
 * @param events recorded under it, without the return of a payout
 * @param returns of a payout that was put back
 * @param transfers of a payout at the provider
 */
record Intent(
        Command command,
        List<Attempt> attempts,
        boolean failed,
        List<Event> events,
        List<Event> returns,
        List<Transfer> transfers) {

    List<Outcome> acknowledgements() {
        return attempts.stream()
                .map(Attempt::outcome)
                .filter(Outcome::isAcknowledged)
                .toList();
    }

    boolean isAcknowledged() {
        return !acknowledgements().isEmpty();
    }

    boolean isPayout() {
        return command.operation() == Operation.PAYOUT;
    }

    @Override
    public String toString() {
        return command.operation() + " " + command.key();
    }
}
