package io.idempotency.boot.contract;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;

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

    @Nested
    class OfKilledBackends extends KilledBackendTest {

        OfKilledBackends(ContractApplications applications) {
            super(applications.with(OptimisticMode.class));
        }

        /** The row and its COMMIT may still be on their way: a row that binds nothing keeps them from taking effect. */
        @Override
        void assertNoRequestIsLeft(ContractApplication application) {
            assertThat(application
                            .database()
                            .jdbc()
                            .queryForList("select status from idempotency.idempotency_request", String.class))
                    .isSubsetOf("failed_retryable");
        }
    }
}
