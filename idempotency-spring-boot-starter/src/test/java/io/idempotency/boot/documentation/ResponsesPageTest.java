package io.idempotency.boot.documentation;

import java.io.IOException;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Partitions of responses come with the setting, and go without it, as the page says. */
@PostgresTest
class ResponsesPageTest {

    private static final String LEAVES = """
            select c.relname
            from pg_inherits as i
            join pg_class as c on c.oid = i.inhrelid
            where i.inhparent = 'idempotency.idempotency_response'::regclass""";

    private final TestDatabase database;

    private final JdbcTemplate admin;

    ResponsesPageTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
    }

    @BeforeEach
    void clear() {
        admin.execute("drop schema if exists idempotency cascade");
    }

    @Test
    void partitionsComeWithTheSettingAndGoWithoutIt() throws IOException {
        JdbcTestApplication.start(database, new Class<?>[0]).close();
        assertThat(leaves()).containsExactly("idempotency_response_rest");
        assertThat(isUnused()).isTrue();

        try (ConfigurableApplicationContext application =
                start("idempotency.storage.responses=day", "idempotency.purge.archive=true")) {
            assertThat(application.isActive()).isTrue();
            Awaitility.await().until(() -> leaves().size() == 1 + 7 + 1);
            admin.update("insert into idempotency.idempotency_response (request_id, expires_at, response_body)"
                    + " values (gen_random_uuid(), now() + interval '1 minute', '{}')");
            for (String statement : statements()) {
                assertThat(admin.queryForList(statement)).isNotEmpty();
            }
            assertThat(isUnused()).isFalse();
            admin.update("update idempotency.storage_partition set expires_at = now() - interval '1 minute',"
                    + " sealed_at = '-infinity' where starts_at < now()");
            Awaitility.await().until(() -> !admin.queryForList("""
                                    select 1 from pg_class where relname like 'idempotency\\_response\\_archive\\_%'""").isEmpty());
        }

        admin.update("update idempotency.storage_partition set expires_at = now() - interval '1 minute',"
                + " sealed_at = '-infinity'");
        try (ConfigurableApplicationContext application = start()) {
            assertThat(application.isActive()).isTrue();
            Awaitility.await().until(() -> leaves().equals(List.of("idempotency_response_rest")));
        }
        assertThat(isUnused()).isTrue();
    }

    @Test
    void aLastPartitionGetsAnEndByHand() throws IOException {
        JdbcTestApplication.start(database, new Class<?>[0]).close();
        for (int days : new int[] {20, 30}) {
            admin.update("insert into idempotency.idempotency_response (request_id, expires_at, response_body)"
                    + " values (gen_random_uuid(), now() + interval '1 day' * " + days + ", '{}')");
            admin.execute(ofPage().get(3));
            admin.execute(ofPage().get(3));
        }

        assertThat(admin.queryForList("select count(*) from idempotency.idempotency_response_rest", Integer.class))
                .containsExactly(0);
        assertThat(admin.queryForList("""
                        select count(*)
                        from idempotency.idempotency_response as r
                        join pg_class as c on c.oid = r.tableoid
                        join idempotency.storage_partition as p on p.leaf = c.relname
                        where r.expires_at < p.ends_at and p.ends_at < r.expires_at + interval '24 hours'
                        group by p.leaf""", Integer.class)).containsExactly(1, 1);
    }

    private ConfigurableApplicationContext start(String... properties) {
        String[] all = new String[properties.length + 1];
        System.arraycopy(properties, 0, all, 0, properties.length);
        all[properties.length] = "idempotency.storage.maintenance-interval=10ms";
        return JdbcTestApplication.start(database, new Class<?>[0], all);
    }

    private List<String> leaves() {
        return admin.queryForList(LEAVES, String.class);
    }

    private boolean isUnused() throws IOException {
        return admin.queryForObject(statements().get(2), Boolean.class);
    }

    private static List<String> statements() throws IOException {
        return ofPage().subList(0, 3);
    }

    private static List<String> ofPage() throws IOException {
        List<String> statements = MarkdownFile.all().stream()
                .filter(page -> page.toString().equals("partitions.md"))
                .flatMap(page -> page.code("sql").stream())
                .map(MarkdownFile.CodeBlock::code)
                .filter(code -> code.contains("idempotency_response") || code.contains("idempotency_request"))
                .toList();
        assertThat(statements).hasSize(4);
        return statements;
    }
}
