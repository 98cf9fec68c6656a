package io.idempotency.internal.claim;

import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

@PostgresTest
class RequestKeyTest {

    private static final String IN_SQL = "select idempotency.idempotency_request_id(?, ?, ?)";

    private static final String ALPHABET = "abz019 -_.:/'\"\\%$\u00e4\u00df\u0416\u20ac\u65e5\ufb33\ud83d\ude00";

    private final JdbcTemplate jdbc;

    RequestKeyTest(TestDatabase database) {
        this.jdbc = new JdbcTemplate(database.dataSource());
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @Test
    void javaAndSqlAgree() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<Intent> intents = IntStream.range(0, 500)
                .mapToObj(i -> new Intent(
                        text(random, 1, Intent.MAX_SCOPE_LENGTH),
                        text(random, 0, i % 3 == 0 ? 0 : Intent.MAX_CALLER_LENGTH),
                        new IdempotencyKey(text(random, 1, IdempotencyKey.MAX_LENGTH))))
                .toList();

        assertThat(intents)
                .as("seed %d", seed)
                .allSatisfy(intent -> assertThat(RequestKey.idOf(intent))
                        .isEqualTo(inSql(intent.scope(), intent.key().value(), intent.caller())));
    }

    @Test
    void aKeyOfAnotherNamespaceIsNeverTakenForThatOfARequest() {
        Intent intent = intent("invoices", "", "m-1");

        assertThat(RequestKey.idOf(intent, "message"))
                .isEqualTo(RequestKey.idOf(intent("invoices", "", "m-1"), "message"))
                .isNotEqualTo(RequestKey.idOf(intent))
                .isNotEqualTo(RequestKey.idOf(intent("invoices", "", "m-2"), "message"));
    }

    @Test
    void withoutACallerSqlTakesTheEmptyOne() {
        assertThat(jdbc.queryForObject("select idempotency.idempotency_request_id('payments', 'order-42')", UUID.class))
                .isEqualTo(RequestKey.idOf(intent("payments", "", "order-42")));
    }

    @Test
    void neverChanges() {
        assertThat(RequestKey.idOf(intent("payments", "", "order-42")))
                .as("rows that are stored have this id")
                .isEqualTo(UUID.fromString("66910abe-7b9c-8d4c-34bd-f42b378f89bd"));
    }

    @Test
    void doesNotGlueItsPartsTogether() {
        assertThat(List.of(
                        RequestKey.idOf(intent("ab", "", "c")),
                        RequestKey.idOf(intent("a", "", "bc")),
                        RequestKey.idOf(intent("a", "b", "c")),
                        RequestKey.idOf(intent("a", "c", "b")),
                        RequestKey.idOf(intent("ab", "c", "c")),
                        RequestKey.idOf(intent("a", "bc", "c"))))
                .doesNotHaveDuplicates();
        assertThat(inSql("ab", "c", "")).isNotEqualTo(inSql("a", "bc", ""));
        assertThat(inSql("a", "c", "b")).isNotEqualTo(inSql("a", "b", "c"));
    }

    private UUID inSql(String scope, String key, String caller) {
        return jdbc.queryForObject(IN_SQL, UUID.class, scope, key, caller);
    }

    private static Intent intent(String scope, String caller, String key) {
        return new Intent(scope, caller, new IdempotencyKey(key));
    }

    private static String text(Random random, int minLength, int maxLength) {
        int[] alphabet = ALPHABET.codePoints().toArray();
        int length = minLength == maxLength ? minLength : random.nextInt(minLength, maxLength + 1);
        String text = IntStream.generate(() -> alphabet[random.nextInt(alphabet.length)])
                .limit(length)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        return text.isBlank() && minLength > 0 ? "x" : text;
    }
}
