package io.idempotency.internal.postgres.request;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.Requests;
import io.idempotency.internal.postgres.Session;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Responses on their way through the table: PostgreSQL must keep the text as it is. */
@PostgresTest
class StoredResponseTest {

    private static final int MAX_BYTES = 1 << 20;

    private final ClaimRequest request = Requests.request("order-42");

    private final ResponseMapper responses =
            new ResponseMapper(List.of(new JacksonResponseCodec(new JsonMapper())), MAX_BYTES, true);

    private final TestDatabase database;
    private Session session;

    StoredResponseTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @BeforeEach
    void open() throws SQLException {
        session = new Session(database.dataSource().getConnection());
    }

    @AfterEach
    void close() throws SQLException {
        session.close();
        database.jdbc().execute("truncate idempotency.idempotency_request");
    }

    static List<Arguments> responses() {
        Map<String, BigDecimal> unsorted = new LinkedHashMap<>();
        unsorted.put("z", new BigDecimal("1E+2"));
        unsorted.put("a", new BigDecimal("1.00"));
        return List.of(
                arguments(null, String.class),
                arguments("\u0000 is kept as an escape", String.class),
                arguments("\u0001\u001f\u007f\u0085\u2028\"\\/", String.class),
                arguments("\ud83d\ude00 \u20ac \ufffd", String.class),
                arguments("", String.class),
                arguments("null", String.class),
                arguments("x".repeat(MAX_BYTES - 2), String.class),
                arguments(new BigDecimal("1E+1000000000"), BigDecimal.class),
                arguments(unsorted, new ParameterizedTypeReference<Map<String, BigDecimal>>() {}.getType()),
                arguments(List.of(), new ParameterizedTypeReference<List<String>>() {}.getType()));
    }

    @ParameterizedTest
    @MethodSource("responses")
    void aReplayGivesWhatTheFirstCallReturned(Object response, Type type) throws SQLException {
        String body = responses.write(request.intent(), response, type, false);
        session.call(request, body);

        Object replayed = responses.read(request.intent(), storedBody(), type);

        assertThat(storedBody()).isEqualTo(body);
        assertThat(replayed).isEqualTo(response);
    }

    @Test
    void isCompressedWithLz4WhereTheServerHasIt() throws SQLException {
        assertThat(session.query("""
                select attcompression::text
                from pg_attribute
                where attrelid = 'idempotency.idempotency_request'::regclass and attname = 'response_body'""")).isEqualTo(session.query("""
                        select case when 'lz4' = any (enumvals) then 'l' else '' end
                        from pg_settings
                        where name = 'default_toast_compression'"""));
    }

    @Test
    void theOrderOfMembersIsKept() throws SQLException {
        session.call(request, "{\"z\":1, \"a\":2,\"z\":3}");

        assertThat(storedBody()).isEqualTo("{\"z\":1, \"a\":2,\"z\":3}");
    }

    private String storedBody() throws SQLException {
        ClaimResult claim = session.claim(request);
        session.commit();
        assertThat(claim.kind()).isEqualTo(Kind.SUCCEEDED);
        return claim.responseBody();
    }
}
