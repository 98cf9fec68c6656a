package io.idempotency.postgres;

import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.claim.ClaimRequest;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** A claim finds the same where responses are in a table of their own. */
@PostgresTest
class ClaimWithResponseInTableTest extends ClaimTest {

    private final JdbcTemplate admin;

    ClaimWithResponseInTableTest(TestDatabase database) {
        super(ResponsesInTable.of(database));
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        ResponsesInTable.partition(database.jdbc());
    }

    @Override
    Map<String, Object> statusBeforeCompletion() {
        return Map.of("status", "succeeded");
    }

    @Override
    void forgetResponses() {
        admin.update("update idempotency.idempotency_request set response_kept_until = now() - interval '1 minute'");
        admin.update("delete from idempotency.idempotency_response");
    }

    @Override
    String storedBody(ClaimRequest request) {
        return request.completeAtOnce()
                ? super.storedBody(request)
                : admin.queryForObject("""
                select s.response_body::text
                from idempotency.idempotency_response as s
                join idempotency.idempotency_request as r
                    on s.request_id = r.request_id and s.expires_at = r.response_kept_until
                where r.request_id = ? and r.response_body is null""", String.class, request.id());
    }

    @Override
    String storedResult(ClaimRequest request) {
        return admin.queryForObject(
                "select result_ref_type || ' ' || result_ref_id from idempotency.idempotency_response"
                        + " where request_id = ?",
                String.class,
                request.id());
    }
}
