package io.idempotency.boot.interleaving;

import java.util.EnumSet;
import java.util.Map;

/** Calls whose completion is sent with the COMMIT. */
class PipelinedInterleavingTest extends CallInterleavings {

    PipelinedInterleavingTest() {
        super(
                Map.of(
                        Mode.TRANSACTIONAL, EnumSet.of(Fault.UNSENT),
                        Mode.UNREPEATED, EnumSet.of(Fault.UNSENT),
                        Mode.OPTIMISTIC, EnumSet.of(Fault.UNSENT)),
                "idempotency.pipelined-commit=true");
    }
}
