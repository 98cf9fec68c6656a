package io.idempotency.internal.lock;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Programs in other languages lock by these numbers. */
@PostgresTest
class LockIdTest {

    private static final String ALPHABET = "abz019 -_.:/'\"\\%$\u00e4\u00df\u0416\u20ac\u65e5\ufb33\ud83d\ude00";

    /** Computed apart from this library, with hashlib and struct of Python. */
    private static final Map<List<String>, Long> VECTORS = Map.of(
            List.of("settlement-close", "17 2026-03-31"), 6_883_399_485_451_832_059L,
            List.of("a", "bc"), -7_908_033_563_511_646_181L,
            List.of("ab", "c"), 9_106_225_263_208_434_593L,
            List.of("\u20ac", "\ud83d\ude00"), -7_126_584_354_126_647_317L);

    private final JdbcTemplate jdbc;

    LockIdTest(TestDatabase database) {
        this.jdbc = new JdbcTemplate(database.dataSource());
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.in(database);
    }

    @Test
    void neverChanges() {
        assertThat(VECTORS).allSatisfy((lock, id) -> {
            assertThat(LockId.of(lock.get(0), lock.get(1))).isEqualTo(id);
            assertThat(inSql(lock.get(0), lock.get(1))).isEqualTo(id);
        });
    }

    @Test
    void javaAndSqlAgree() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        List<List<String>> locks = IntStream.range(0, 500)
                .mapToObj(i -> List.of(text(random, 128), text(random, 255)))
                .toList();

        assertThat(locks)
                .as("seed %d", seed)
                .allSatisfy(lock ->
                        assertThat(LockId.of(lock.get(0), lock.get(1))).isEqualTo(inSql(lock.get(0), lock.get(1))));
    }

    private Long inSql(String name, String resource) {
        return jdbc.queryForObject("select idempotency.idempotency_lock_id(?, ?)", Long.class, name, resource);
    }

    private static String text(Random random, int maxLength) {
        int[] alphabet = ALPHABET.codePoints().toArray();
        return IntStream.generate(() -> alphabet[random.nextInt(alphabet.length)])
                .limit(random.nextInt(1, maxLength + 1))
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }
}
