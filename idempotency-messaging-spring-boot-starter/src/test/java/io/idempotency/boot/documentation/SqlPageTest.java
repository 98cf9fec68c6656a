package io.idempotency.boot.documentation;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.postgres.messaging.MessagingFeatures;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

/** Every recipe of the page for SQL is run from the page, by sessions that race. */
@PostgresTest
@Tag("full")
class SqlPageTest {

    private static final int SESSIONS = 8;

    private static final String PASSWORD = "secret";

    private static final Pattern SECTION = Pattern.compile("^#{2,3} ", Pattern.MULTILINE);

    private static final Pattern VECTOR =
            Pattern.compile("^\\| `(.+)` \\| `(.+)` \\| `([0-9a-f]{64})` \\|$", Pattern.MULTILINE);

    private static final Pattern STATE = Pattern.compile("P4\\d{3}");

    private static final Pattern DOCUMENTED_CALL =
            Pattern.compile("^\\| `(?:call )?(idempotency_\\w+)\\(([^)]*)\\)` \\|", Pattern.MULTILINE);

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    SqlPageTest(TestDatabase database) {
        this.database = database;
        this.jdbc = database.jdbc();
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        JdbcTestApplication.start(
                        database, new Class<?>[0], "idempotency.purge.archive=true", "idempotency.sql-functions=true")
                .close();
    }

    /** Recipes and programs run as a role that has what the page grants to a worker, and tables of its own. */
    @BeforeEach
    void createClient() throws IOException {
        for (MarkdownFile.CodeBlock grants : grants()) {
            if (grants.code().contains("billing_worker")) {
                jdbc.execute(grants.code().replace("billing_worker", client()));
            }
        }
        jdbc.execute("alter role %s password '%s'".formatted(client(), PASSWORD));
        letClientUseTablesOfTheApplication();
    }

    private void letClientUseTablesOfTheApplication() {
        jdbc.execute("""
                grant usage on schema public to %1$s;
                grant all on all tables in schema public to %1$s;
                grant all on all sequences in schema public to %1$s""".formatted(client()));
    }

    private String client() {
        return "client_" + database.name();
    }

    private static List<MarkdownFile.CodeBlock> grants() throws IOException {
        return page().code("sql").stream()
                .filter(block -> block.code().contains("create role"))
                .toList();
    }

    @AfterEach
    void clear() {
        jdbc.execute("""
                drop schema public cascade;
                create schema public;
                truncate idempotency.idempotency_request, idempotency.processed_message, idempotency.stream_position,
                    idempotency.outbox_event, idempotency.idempotency_request_archive""");
        for (String role : List.of("billing_worker", "billing_janitor", client())) {
            if (jdbc.queryForObject("select count(*) from pg_roles where rolname = ?", Integer.class, role) == 1) {
                jdbc.execute("drop owned by %1$s; drop role %1$s".formatted(role));
            }
        }
    }

    static Stream<MarkdownFile> sections() throws IOException {
        MarkdownFile page = page();
        return SECTION.splitAsStream(page.text())
                .map(text -> new MarkdownFile(Path.of(text.lines().findFirst().orElseThrow()), text))
                .filter(section -> !section.code("sql").isEmpty());
    }

    /** What is to be run once, by all sessions at once, or to be true afterwards, the first line of a block says. */
    @ParameterizedTest
    @MethodSource("sections")
    @Tag("race")
    void recipesDoWhatTheySay(MarkdownFile section) {
        for (MarkdownFile.CodeBlock block : section.code("sql")) {
            String kind = block.code().lines().findFirst().orElseThrow();
            switch (kind) {
                case "-- run once" -> {
                    jdbc.execute(block.code());
                    letClientUseTablesOfTheApplication();
                }
                case "-- run by all sessions at once" ->
                    ConcurrentCalls.run(SESSIONS, () -> runInAnotherSession(block.code()))
                            .requireAllSucceeded();
                case "-- true afterwards" ->
                    assertThat(jdbc.queryForObject(block.code(), Boolean.class))
                            .as(block.code())
                            .isTrue();
                default -> throw new AssertionError("Nobody knows what to do with " + block + ": " + kind);
            }
        }
    }

    private void runInAnotherSession(String sql) {
        asClient().execute(sql);
    }

    private JdbcTemplate asClient() {
        return new JdbcTemplate(new DriverManagerDataSource(database.jdbcUrl(), client(), PASSWORD));
    }

    @Test
    void thereAreRecipesWithRaces() throws IOException {
        assertThat(page().code("sql"))
                .filteredOn(block -> block.code().startsWith("-- run by all sessions at once"))
                .hasSizeGreaterThanOrEqualTo(3);
    }

    @Test
    void theRightsSufficeForAllCallsAndForNoMore() throws SQLException, IOException {
        grants().forEach(block -> jdbc.execute(block.code()));

        asRole("billing_worker", worker -> {
            worker.execute("""
                    do $$
                    declare
                        token uuid;
                    begin
                        select claim_token into token from idempotency.idempotency_claim('s', 'a', sha256(''), 'w', 60);
                        perform idempotency.idempotency_fail('s', 'a', token, true, 'c');
                        select claim_token into token from idempotency.idempotency_claim('s', 'a', sha256(''), 'w', 60);
                        perform idempotency.idempotency_succeed('s', 'a', token);
                        perform idempotency.idempotency_consume('c', 'm', sha256(''));
                        perform idempotency.idempotency_consume('c', 'm', sha256(''));
                        perform idempotency.idempotency_advance('c', 's', 1);
                        perform idempotency.idempotency_advance_strictly('c', 's', 2);
                        perform idempotency.idempotency_publish('t', 't', '1', deduplication_key => 'd');
                        perform idempotency.idempotency_publish('t', 't', '1', deduplication_key => 'd');
                        perform idempotency.idempotency_lock('l', 'r');
                        perform idempotency.idempotency_try_lock('l', 'r');
                    end
                    $$""");
            assertThatThrownBy(() -> worker.execute("call idempotency.idempotency_purge()"))
                    .rootCause()
                    .hasMessageContaining("permission denied for procedure");
            assertThatThrownBy(() -> worker.execute("select * from idempotency.idempotency_stale"))
                    .rootCause()
                    .hasMessageContaining("permission denied for view");
            assertThatThrownBy(() -> worker.execute("select 1 from idempotency.idempotency_request"))
                    .rootCause()
                    .hasMessageContaining("permission denied for table");
            assertThatThrownBy(() -> worker.execute("select idempotency.idempotency_end_attempt("
                            + "'s', 'a', '', null, 'processing', null, null, null, null, null)"))
                    .rootCause()
                    .hasMessageContaining("permission denied for function");
            assertThatThrownBy(() ->
                            worker.execute("select idempotency.idempotency_publish('idempotency.resume', 't', '1')"))
                    .rootCause()
                    .hasMessageContaining("The topic 'idempotency.resume' is the library's own");
        });
        jdbc.update("update idempotency.idempotency_request set expires_at = now() - interval '1 day'");
        asRole("billing_janitor", janitor -> {
            janitor.execute("call idempotency.idempotency_purge(archive => true)");
            janitor.execute("call idempotency.idempotency_purge()");
            assertThatThrownBy(() -> janitor.execute("select idempotency.idempotency_consume('c', 'm')"))
                    .rootCause()
                    .hasMessageContaining("permission denied for function");
        });
        assertThat(jdbc.queryForObject("select count(*) from idempotency.idempotency_request_archive", Integer.class))
                .isOne();
    }

    private void asRole(String role, Work work) throws SQLException {
        SingleConnectionDataSource single = new SingleConnectionDataSource(database.connection(), true);
        try {
            JdbcTemplate session = new JdbcTemplate(single);
            session.execute("set role " + role);
            work.with(session);
        } finally {
            single.destroy();
        }
    }

    @Test
    void eachErrorIsDocumented() throws IOException {
        String errors = page().text();
        errors = errors.substring(errors.indexOf("| SQLSTATE |"));

        assertThat(statesIn(Pattern.compile("^\\| `(P4\\d{3})` \\|", Pattern.MULTILINE)
                        .matcher(errors)
                        .results()
                        .map(MatchResult::group)
                        .collect(Collectors.joining())))
                .isEqualTo(statesIn(script()));
    }

    private static Set<String> statesIn(String text) {
        return STATE.matcher(text).results().map(MatchResult::group).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void eachFunctionIsDocumentedWithItsParameters() throws IOException {
        String page = page().text().replaceAll("(\\| `idempotency_\\w+\\(\\)`), (`.*)", "$1 |\n| $2");
        Map<String, String> documented = DOCUMENTED_CALL
                .matcher(page)
                .results()
                .collect(Collectors.toMap(call -> call.group(1), call -> call.group(2)));

        documented.forEach((name, parameters) -> assertThat(jdbc.queryForList("""
                        select array_to_string(
                            proargnames[1:case prokind when 'p' then 3 else pronargs end], ', ')
                        from pg_proc
                        where pronamespace = 'idempotency'::regnamespace and proname = ?""", String.class, name))
                .as(name)
                .containsExactly(parameters.isEmpty() ? null : parameters));
        assertThat(jdbc.queryForList("""
                        select proname
                        from pg_proc
                        where pronamespace = 'idempotency'::regnamespace and proname like 'idempotency%'
                            and coalesce(obj_description(oid, 'pg_proc'), '') not like 'Part of %'""", String.class)).containsExactlyInAnyOrderElementsOf(documented.keySet());
    }

    @Test
    void eachFunctionHasACommentAndThoseThatMayHaveAPinnedSearchPath() {
        assertThat(jdbc.queryForList("""
                        select proname
                        from pg_proc
                        where pronamespace = 'idempotency'::regnamespace and proname like 'idempotency%'
                            and obj_description(oid, 'pg_proc') is null""", String.class)).isEmpty();
        assertThat(jdbc.queryForList("""
                        select proname
                        from pg_proc
                        where pronamespace = 'idempotency'::regnamespace and proname like 'idempotency%'
                            and (not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false))
                        order by proname""", String.class))
                .as("the purge commits; the others are expressions that name no table")
                .containsExactly("idempotency_lock_id", "idempotency_purge", "idempotency_request_id");
    }

    @Test
    void thoseForCallersRunWithTheRightsOfTheirOwner() throws IOException {
        assertThat(jdbc.queryForList("""
                        select proname
                        from pg_proc
                        where pronamespace = 'idempotency'::regnamespace and proname like 'idempotency%' and prosecdef
                        order by proname""", String.class))
                .isSubsetOf(grants().stream()
                        .flatMap(block -> Pattern.compile("idempotency\\.(\\w+)")
                                .matcher(block.code())
                                .results()
                                .map(name -> name.group(1)))
                        .toList())
                .contains("idempotency_claim", "idempotency_publish", "idempotency_purge_batch");
    }

    @Test
    void fingerprintsAreThoseOfJava() throws IOException {
        JsonMapper mapper = JsonMapper.builder()
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .build();
        List<MatchResult> vectors = VECTOR.matcher(page().text()).results().toList();

        assertThat(vectors).hasSizeGreaterThan(5).allSatisfy(vector -> {
            assertThat(hex(new Fingerprinter(mapper)
                            .of(mapper.readValue(vector.group(1), Object.class))
                            .hash()))
                    .isEqualTo(vector.group(3));
            assertThat(jdbc.queryForObject(
                            "select sha256('\\x01'::bytea || convert_to(?, 'UTF8'))", byte[].class, vector.group(2)))
                    .isEqualTo(HexFormat.of().parseHex(vector.group(3)));
        });
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    @Tag("race")
    void pythonPaysOnceInManyProcesses(@TempDir Path directory) throws Exception {
        Path program = pythonExample(directory);
        jdbc.execute("create table paid (account text, cents bigint)");
        letClientUseTablesOfTheApplication();

        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            processes.add(python(directory.resolve("out-" + i).toFile(), program.toString(), "order-1"));
        }
        for (Process process : processes) {
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }

        for (int i = 0; i < SESSIONS; i++) {
            assertThat(Files.readString(directory.resolve("out-" + i))).isEqualTo("{\"paid\": 4200}\n");
        }
        assertThat(jdbc.queryForObject("select count(*) from paid", Integer.class))
                .isOne();
    }

    @Test
    void pythonMakesTheFingerprintsOfJava(@TempDir Path directory) throws Exception {
        Path program = pythonExample(directory);
        for (MatchResult vector : VECTOR.matcher(page().text()).results().toList()) {
            File output = directory.resolve("out").toFile();
            assertThat(python(output, program.toString(), "fingerprint", vector.group(1))
                            .waitFor(60, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(Files.readString(output.toPath())).isEqualTo(vector.group(3) + "\n");
        }
    }

    private Path pythonExample(Path directory) throws Exception {
        assumeThat(hasPsycopg(directory)).as("python3 can import psycopg").isTrue();
        return Files.writeString(
                directory.resolve("example.py"), page().code("python").get(0).code());
    }

    private boolean hasPsycopg(Path directory) throws InterruptedException {
        try {
            return python(directory.resolve("import").toFile(), "-c", "import psycopg")
                            .waitFor()
                    == 0;
        } catch (IOException noPython) {
            return false;
        }
    }

    private Process python(File output, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("python3", "-X", "utf8"));
        command.addAll(List.of(arguments));
        ProcessBuilder process =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output);
        URI server = URI.create(database.jdbcUrl().substring("jdbc:".length()));
        process.environment()
                .putAll(Map.of(
                        "PGHOST", server.getHost(),
                        "PGPORT", Integer.toString(server.getPort()),
                        "PGDATABASE", database.name(),
                        "PGUSER", client(),
                        "PGPASSWORD", PASSWORD));
        return process.start();
    }

    private static MarkdownFile page() throws IOException {
        return MarkdownFile.all().stream()
                .filter(page -> page.toString().equals("sql.md"))
                .findFirst()
                .orElseThrow();
    }

    private static String script() throws IOException {
        return new ClassPathResource(CoreFeatures.SQL_FUNCTIONS).getContentAsString(StandardCharsets.UTF_8)
                + new ClassPathResource(MessagingFeatures.SQL_FUNCTIONS).getContentAsString(StandardCharsets.UTF_8);
    }

    @FunctionalInterface
    private interface Work {

        void with(JdbcTemplate session);
    }
}
