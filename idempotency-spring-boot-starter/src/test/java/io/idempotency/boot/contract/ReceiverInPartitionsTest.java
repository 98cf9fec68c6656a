package io.idempotency.boot.contract;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The same where messages are in partitions. */
@Tag("full")
class ReceiverInPartitionsTest extends ReceiverContractTests {

    private final TestDatabase database;

    ReceiverInPartitionsTest(ContractApplications applications) {
        super(applications.with("idempotency.storage.processed-messages=day"), "READ_COMMITTED");
        database = applications.database();
    }

    @BeforeAll
    void areInPartitions() {
        assertThat(database.jdbc()
                        .queryForObject(
                                "select relkind from pg_class where oid = 'idempotency.processed_message'::regclass",
                                String.class))
                .isEqualTo("p");
    }
}
