package io.idempotency.boot.contract;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

import static org.assertj.core.api.Assertions.assertThat;

/** What holds for every call holds for one whose key is claimed when its method has returned. */
@Tag("full")
class OptimisticContractTest {

    @Nested
    class PipelinedInReadCommitted extends ReadCommittedContractTest {

        PipelinedInReadCommitted(ContractApplications applications) {
            super(applications.with(OptimisticMode.class).with(PipelinedCommitContractTest.PIPELINED));
        }
    }

    @Nested
    class PipelinedInRepeatableRead extends RepeatableReadContractTest {

        PipelinedInRepeatableRead(ContractApplications applications) {
            super(applications.with(OptimisticMode.class).with(PipelinedCommitContractTest.PIPELINED));
        }
    }

    @Nested
    class PipelinedInSerializable extends SerializableContractTest {

        PipelinedInSerializable(ContractApplications applications) {
            super(applications.with(OptimisticMode.class).with(PipelinedCommitContractTest.PIPELINED));
        }
    }

    @Nested
    class WithJpaInReadCommitted extends ReadCommittedContractTest {

        WithJpaInReadCommitted(ContractApplications applications) {
            super(applications.with(OptimisticMode.class).with(TransactionKind.WithJpa.class));
        }
    }

    @Nested
    class WithJpaInRepeatableRead extends RepeatableReadContractTest {

        WithJpaInRepeatableRead(ContractApplications applications) {
            super(applications.with(OptimisticMode.class).with(TransactionKind.WithJpa.class));
        }
    }

    @Nested
    class WithJpaInSerializable extends SerializableContractTest {

        WithJpaInSerializable(ContractApplications applications) {
            super(applications.with(OptimisticMode.class).with(TransactionKind.WithJpa.class));
        }
    }

    @Nested
    class OfCalls extends CallTableTest {

        OfCalls(ContractApplications applications) {
            super(applications.with(OptimisticMode.class).with(PipelinedCommitContractTest.PIPELINED));
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
            super(applications.with(OptimisticMode.class).with(PipelinedCommitContractTest.PIPELINED));
        }
    }

    @Nested
    class OfKilledBackends extends KilledBackendTest {

        OfKilledBackends(ContractApplications applications) {
            super(applications.with(OptimisticMode.class).with(PipelinedCommitContractTest.PIPELINED));
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
