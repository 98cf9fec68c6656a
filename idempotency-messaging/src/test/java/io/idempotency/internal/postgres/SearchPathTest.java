package io.idempotency.internal.postgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * What another role plants in a schema of the {@code search_path} is never run by the library. PostgreSQL prefers a function or
 * an operator for exactly the types of a call wherever it is, so {@code pg_catalog} being searched first is not enough.
 */
@PostgresTest
@Tag("full")
class SearchPathTest {

    /** What cannot be a part of a function. None of it has operators. */
    private static final Pattern UTILITY = Pattern.compile(
            "(?is)\\s*(begin|commit|rollback|set|listen|unlisten|create|alter|drop|call|table|do)\\b.*");

    private final TestDatabase database;

    private static Map<String, List<String>> statements;

    private static Set<String> names;

    SearchPathTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    static void record(TestDatabase database) throws SQLException, IOException {
        MigratedTables.withFunctionsIn(database);
        PreparedStatements recorded = new PreparedStatements(database);
        new EveryStatement(recorded, HostileSchema.admin(database)).run();
        statements = recorded.all();
        Collection<String> texts = new HashSet<>(statements.keySet());
        texts.addAll(scripts());
        names = HostileSchema.namesCalledIn(texts);
        HostileSchema.plant(database, names);
    }

    /** Looks at how PostgreSQL has understood each statement, with the parameters that the driver gives it. */
    @Test
    void noStatementNamesWhatIsPlanted() {
        JdbcTemplate jdbc = database.jdbc();
        List<String> captured = new ArrayList<>();
        int number = 0;
        for (Map.Entry<String, List<String>> statement : statements.entrySet()) {
            if (UTILITY.matcher(statement.getKey()).matches()) {
                continue;
            }
            String name = "parsed_" + ++number;
            try {
                jdbc.execute("create function public.%s(%s) returns void language sql begin atomic %s; end"
                        .formatted(name, String.join(", ", statement.getValue()), ofPartitions(statement.getKey())));
                List<String> found = HostileSchema.capturedBy(
                        database,
                        "d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = (select oid from"
                                + " pg_catalog.pg_proc where proname = '" + name + "')");
                if (!found.isEmpty()) {
                    captured.add(found + " in\n" + statement.getKey());
                }
            } catch (RuntimeException refused) {
                captured.add(refused.getMessage());
            }
        }
        assertThat(number).isGreaterThan(60);
        assertThat(captured).isEmpty();
    }

    /** And so does it run there, from the migrations on. */
    @Test
    void nothingThatIsPlantedIsRun() throws SQLException {
        try (TestDatabase hostile = TestDatabase.createEmpty()) {
            HostileSchema.plant(hostile, names);
            MigratedTables.withFunctionsIn(hostile);
            HostileSchema.plant(hostile, names);
            assertThatThrownBy(() -> hostile.jdbc().queryForList("select 1 where 2::bigint * interval '1 s' is null"))
                    .as("what is not qualified")
                    .hasMessageContaining("planted in the schema public");

            new EveryStatement(hostile.dataSource(), HostileSchema.admin(hostile)).run();

            assertThat(HostileSchema.capturedBy(hostile, "d.classid <> 'pg_catalog.pg_operator'::pg_catalog.regclass"))
                    .as("what the tables, views and functions were parsed to use")
                    .isEmpty();
        }
    }

    /** Those of the recorded run may be dropped. They are like their table. */
    private static String ofPartitions(String statement) {
        return statement.replaceAll("processed_message_(before_)?\\d{8}_\\d{6}", "processed_message");
    }

    private static List<String> scripts() throws IOException {
        List<String> scripts = new ArrayList<>();
        PathMatchingResourcePatternResolver resources = new PathMatchingResourcePatternResolver();
        for (Resource script : resources.getResources("classpath:io/idempotency/internal/postgres/**/*.sql")) {
            scripts.add(script.getContentAsString(StandardCharsets.UTF_8));
        }
        return scripts;
    }
}
