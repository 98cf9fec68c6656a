package io.idempotency.boot.contract;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.internal.transaction.PipelinedTransactionManager;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What holds for every call holds for one whose response is sent together with the COMMIT. */
@Tag("full")
class PipelinedCommitContractTest {

    static final String PIPELINED = "idempotency.pipelined-commit=true";

    private static TestDatabase pipelined(TestDatabase database) {
        return database.with("idempotency.pipelined-commit", true);
    }

    @Nested
    class InReadCommitted extends ReadCommittedContractTest {

        InReadCommitted(TestDatabase database) {
            super(pipelined(database));
        }

        @Test
        void isThatOfThePipelinedManager() {
            assertThat(transactionManager()).isInstanceOf(PipelinedTransactionManager.class);
        }
    }

    @Nested
    class InSerializable extends SerializableContractTest {

        InSerializable(TestDatabase database) {
            super(pipelined(database));
        }
    }

    @Nested
    class OfCalls extends CallTableTest {

        OfCalls(TestDatabase database) {
            super(pipelined(database));
        }
    }

    @Nested
    class OfOutcomes extends CallOutcomeTest {

        OfOutcomes(TestDatabase database) {
            super(pipelined(database));
        }
    }

    @Nested
    class OfAcknowledgements extends AcknowledgementTest {

        OfAcknowledgements(TestDatabase database) {
            super(pipelined(database));
        }
    }

    @Nested
    class OfRollbacks extends RollbackTest {

        OfRollbacks(TestDatabase database) {
            super(pipelined(database));
        }
    }

    @Nested
    class OfRetries extends RetryTest {

        OfRetries(TestDatabase database) {
            super(pipelined(database));
        }
    }

    @Nested
    class OfNestedCalls extends NestedCallTest {

        OfNestedCalls(TestDatabase database) {
            super(pipelined(database));
        }
    }

    @Nested
    class OfFailureRecords extends FailureRecordTest {

        OfFailureRecords(TestDatabase database) {
            super(pipelined(database));
        }
    }

    @Nested
    class OfKilledBackends extends KilledBackendTest {

        OfKilledBackends(TestDatabase database) {
            super(pipelined(database));
        }
    }

    @Nested
    class OfLostCommits extends LostCommitOfOwnTransactionTest {

        OfLostCommits(TestDatabase database) {
            super(pipelined(database));
        }
    }
}
