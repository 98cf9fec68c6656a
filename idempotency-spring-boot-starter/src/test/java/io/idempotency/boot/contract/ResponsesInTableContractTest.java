package io.idempotency.boot.contract;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** What holds for every call holds where responses are in a table of their own. */
class ResponsesInTableContractTest {

    private static TestDatabase apart(TestDatabase database) {
        return database.with("idempotency.storage.responses", "day");
    }

    @Nested
    class InReadCommitted extends ReadCommittedContractTest {

        private final TestDatabase database;

        InReadCommitted(TestDatabase database) {
            super(apart(database));
            this.database = database;
        }

        @AfterEach
        void areNotInTheRowsOfTheirKeys() {
            assertThat(database.jdbc()
                            .queryForObject(
                                    "select count(*) from idempotency.idempotency_request where response_body is not null",
                                    Long.class))
                    .isZero();
        }
    }

    @Nested
    class InSerializable extends SerializableContractTest {

        InSerializable(TestDatabase database) {
            super(apart(database));
        }
    }

    @Nested
    class Pipelined extends ReadCommittedContractTest {

        Pipelined(TestDatabase database) {
            super(apart(database).with("idempotency.pipelined-commit", true));
        }
    }

    @Nested
    class OfCalls extends CallTableTest {

        OfCalls(TestDatabase database) {
            super(apart(database));
        }
    }

    @Nested
    class OfAcknowledgements extends AcknowledgementTest {

        OfAcknowledgements(TestDatabase database) {
            super(apart(database));
        }
    }

    @Nested
    class OfNestedCalls extends NestedCallTest {

        OfNestedCalls(TestDatabase database) {
            super(apart(database));
        }
    }

    @Nested
    class OfFailureRecords extends FailureRecordTest {

        OfFailureRecords(TestDatabase database) {
            super(apart(database));
        }
    }

    @Nested
    class OfLeases extends LeaseTest {

        OfLeases(TestDatabase database) {
            super(apart(database));
        }
    }

    @Nested
    class OfLeaseCompletions extends LeaseCompletionTest {

        OfLeaseCompletions(TestDatabase database) {
            super(apart(database));
        }
    }

    @Nested
    class OfLostLeases extends LeaseLostTest {

        OfLostLeases(TestDatabase database) {
            super(apart(database));
        }
    }

    @Nested
    class OfLeasesInSnapshots extends LeaseInSnapshotTest {

        OfLeasesInSnapshots(TestDatabase database) {
            super(apart(database));
        }
    }

    @Nested
    class OfLostCommits extends LostCommitOfOwnTransactionTest {

        OfLostCommits(TestDatabase database) {
            super(apart(database));
        }
    }
}
