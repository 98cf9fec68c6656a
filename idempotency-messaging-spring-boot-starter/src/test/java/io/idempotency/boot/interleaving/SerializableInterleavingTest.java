package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** Calls whose transactions have a snapshot and no anomaly. */
class SerializableInterleavingTest extends CallInterleavings {

    SerializableInterleavingTest() {
        super(
                Map.of(
                        Mode.TRANSACTIONAL, EnumSet.noneOf(Fault.class),
                        Mode.OPTIMISTIC, EnumSet.noneOf(Fault.class),
                        Mode.WRITE, EnumSet.noneOf(Fault.class),
                        Mode.LEASED, EnumSet.noneOf(Fault.class)),
                "spring.datasource.hikari.transaction-isolation=TRANSACTION_SERIALIZABLE");
    }

    @Override
    Set<Fault> faultsInFull(Mode mode) {
        return mode == Mode.LEASED
                ? EnumSet.noneOf(Fault.class)
                : EnumSet.of(Fault.COMMIT_UNANSWERED, Fault.SERIALIZATION);
    }

    /** No two steps commute, so that the schedules of leased callers are too many. */
    @Override
    Set<Fault> faultsInLong(Mode mode) {
        return mode == Mode.LEASED ? faultsInFull(mode) : super.faultsInLong(mode);
    }
}
