package io.idempotency.postgres;

import java.sql.SQLException;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import io.idempotency.claim.Claim;
import io.idempotency.claim.ClaimRequest;
import io.idempotency.claim.Completion;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Leases are the same where responses are in a table of their own. */
@PostgresTest
class LeaseClaimWithResponseInTableTest extends LeaseClaimTest {

    private final TestDatabase database;

    LeaseClaimWithResponseInTableTest(TestDatabase database) {
        super(ResponsesInTable.of(database));
        this.database = database;
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        ResponsesInTable.partition(database.jdbc());
    }

    @Test
    void whatHasNoResponseTakesNoRowOfItsOwn() throws SQLException {
        ClaimRequest request = Requests.leased("order-42");
        try (Session session = new Session(database)) {
            session.claimGranted(request).commit();
            assertThat(session.complete(new Completion(Requests.fence(request, 1), "null", "order", "42")))
                    .isTrue();
            session.commit();

            assertThat(session.claim(request)).isEqualTo(new Claim.Succeeded("null"));
            assertThat(session.query("select count(*) from idempotency.idempotency_response"))
                    .isEqualTo("0");
            assertThat(session.query("select result_ref_id from idempotency.idempotency_request"))
                    .isEqualTo("42");
        }
    }
}
