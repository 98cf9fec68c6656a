package io.idempotency.internal.postgres.schema;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.PrintableText;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/** What SQL takes for a name is what Java does. */
@PostgresTest
class SqlNamesTest {

    private static final String LOOKED_AT =
            TestSize.pick("(c <= 131071 or c between 917504 and 921599 or c >= 1114109)", "true");

    private final JdbcTemplate admin;

    SqlNamesTest(TestDatabase database) {
        this.admin = database.jdbc();
    }

    /** A function that gives the answer instead of failing with it, because a million failures would take long. */
    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.withFunctionsIn(database);
        database.jdbc().execute("""
                create function problem(value text) returns text language plpgsql as $$
                begin
                    perform idempotency.idempotency_require_name('name', value, 3);
                    return '';
                exception when sqlstate 'P4001' then
                    return sqlerrm;
                end
                $$""");
    }

    /** Two planes and the tags; with the long tests everything. */
    @Test
    void everyCharacterIsPrintableOrNotForBoth() {
        List<Integer> refusedBySql = admin.queryForList("""
                select c
                from generate_series(1, 1114111) as c
                where %s and c not between 55296 and 57343 and problem('a' || chr(c)) <> ''""".formatted(LOOKED_AT), Integer.class);
        boolean[] refused = new boolean[Character.MAX_CODE_POINT + 1];
        refusedBySql.forEach(character -> refused[character] = true);

        for (int character = 1; character <= Character.MAX_CODE_POINT; character++) {
            if (Character.getType(character) != Character.SURROGATE && isLookedAt(character)) {
                assertThat(refused[character])
                        .as("U+%04X is refused by SQL", character)
                        .isEqualTo(problem("a" + Character.toString(character)).isPresent());
            }
        }
        assertThat(refusedBySql).hasSizeGreaterThan(6_000);
    }

    private static boolean isLookedAt(int character) {
        return TestSize.current() == TestSize.LONG
                || character <= 0x1FFFF
                || (character >= 0xE0000 && character <= 0xE0FFF)
                || character >= 0x10FFFD;
    }

    @Test
    void everySpaceIsBlankForBoth() {
        for (int character = 1; character <= Character.MAX_VALUE; character++) {
            String text = Character.toString(character);
            if (problem(text).equals(Optional.of("is blank"))) {
                assertThat(problemInSql(text + text)).as("U+%04X", character).isEqualTo("The name is blank");
            }
        }
        assertThat(problemInSql("")).isEqualTo("The name is blank");
        assertThat(problemInSql(" a ")).isEmpty();
    }

    @Test
    void charactersAreCountedAsCodePoints() {
        assertThat(problemInSql("😀😀😀")).isEmpty();
        assertThat(problemInSql("😀😀😀😀"))
                .isEqualTo("The name " + problem("😀😀😀😀").orElseThrow());
        assertThat(problemInSql("a\u200Bb"))
                .isEqualTo("The name " + problem("a\u200Bb").orElseThrow());
    }

    private static Optional<String> problem(String text) {
        return PrintableText.findProblem(text, 1, 3);
    }

    private String problemInSql(String text) {
        return admin.queryForObject("select problem(?)", String.class, text);
    }
}
