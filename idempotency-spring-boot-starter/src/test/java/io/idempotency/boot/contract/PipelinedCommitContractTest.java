package io.idempotency.boot.contract;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** What holds for every call holds for one whose response is sent together with the COMMIT. */
@Tag("full")
class PipelinedCommitContractTest {

    static final String PIPELINED = "idempotency.pipelined-commit=true";

    @Nested
    class OfCalls extends CallTableTest {

        OfCalls(ContractApplications applications) {
            super(applications.with(PIPELINED));
        }
    }

    @Nested
    class OfAcknowledgements extends AcknowledgementTest {

        OfAcknowledgements(ContractApplications applications) {
            super(applications.with(PIPELINED));
        }
    }

    @Nested
    class OfRollbacks extends RollbackTest {

        OfRollbacks(ContractApplications applications) {
            super(applications.with(PIPELINED));
        }
    }
}
