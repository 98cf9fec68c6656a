package io.idempotency.postgres;

import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** The same where responses are in a table of their own. */
@PostgresTest
@EachDriverMode
class CompletingCommitToTableTest extends CompletingCommitTest {

    private final JdbcTemplate admin;

    CompletingCommitToTableTest(TestDatabase database) {
        super(ResponsesInTable.of(database));
        this.admin = database.jdbc();
    }

    @BeforeAll
    static void partition(TestDatabase database) {
        ResponsesInTable.partition(database.jdbc());
    }

    @Override
    String completion() {
        return "insert into idempotency.idempotency_response select request_id, response_kept_until, '2'"
                + " from idempotency.idempotency_request where idempotency_key = 'key-%d'";
    }

    @Override
    Map<String, Object> row(String key) {
        return admin.queryForMap("""
                select r.status, s.response_body::text, s.result_ref_type, s.result_ref_id, r.locked_until, r.attempt_count
                from idempotency.idempotency_request as r
                join idempotency.idempotency_response as s
                    on s.request_id = r.request_id and s.expires_at = r.response_kept_until
                where r.idempotency_key = ? and r.response_body is null""", key);
    }

    @Test
    void itsResponsesAreInTheTableOfTheirOwn(TestDatabase database) throws Exception {
        theRowHoldsWhatAnOrdinaryCompletionWrites();
        ResponsesInTable.requireUsed(database);
    }
}
