package io.idempotency.boot.contract;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** What holds for every call holds for one whose key is claimed when its method has returned. */
@Tag("full")
class OptimisticContractTest {

    @Nested
    class OfCalls extends CallTableTest {

        OfCalls(ContractApplications applications) {
            super(applications.with(OptimisticMode.class));
        }
    }

    @Nested
    class OfAcknowledgements extends AcknowledgementTest {

        OfAcknowledgements(ContractApplications applications) {
            super(applications.with(OptimisticMode.class));
        }
    }

    @Nested
    class OfRollbacks extends RollbackTest {

        OfRollbacks(ContractApplications applications) {
            super(applications.with(OptimisticMode.class));
        }
    }
}
