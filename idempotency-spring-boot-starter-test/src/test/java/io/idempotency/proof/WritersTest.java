package io.idempotency.proof;

import java.io.IOException;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("full")
class WritersTest {

    private static EmbeddedPostgres server;

    private static final Writers WRITERS = new Writers();

    @BeforeAll
    static void define() throws IOException {
        server = EmbeddedPostgres.start();
        JdbcTemplate jdbc = new JdbcTemplate(server.getPostgresDatabase());
        jdbc.execute("""
                create table audit (id bigint primary key, words text);
                create table "Line" (audit_id bigint references audit on delete cascade);
                create table other (id bigint);
                create view recent as select * from audit;
                create view "Latest" as select * from recent;
                create function add_direct(words text) returns void language sql as 'insert into audit values (1, words)';
                do $$ begin
                    execute 'create function add_standard(words text) returns void'
                        ' begin atomic insert into audit values (1, words); end';
                end $$;
                create procedure add_indirectly() language plpgsql as 'begin perform add_direct(''x''); end';
                create function on_other() returns trigger language plpgsql as 'begin call add_indirectly(); return new; end';
                create trigger audits after insert on other for each row execute function on_other();
                create table ruled (id bigint);
                create rule also as on insert to ruled do also insert into audit values (2, 'rule');
                create view chosen as select 1 as id;
                create function instead() returns trigger language plpgsql as 'begin update audit set words = ''x''; return new; end';
                create trigger instead instead of insert on chosen for each row execute function instead();
                create function circle(n int) returns int language sql as 'select case when n = 0 then 0 else 1 end';
                create or replace function circle(n int) returns int language sql as 'select circle(n - 1)';
                create extension dblink""");
        jdbc.query(Writers.QUERY, row -> {
            WRITERS.add(new Writers.Definition(row.getString(1), row.getString(2), row.getString(3), row.getString(4)));
        });
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "insert into recent values (1, 'x')     | public.audit  | the view recent",
                "update public.\"Latest\" set words = '' | public.audit  | the view Latest",
                "select add_direct(?)                   | public.audit  | the function add_direct",
                "{? = call public.ADD_DIRECT (?)}       | public.audit  | the function add_direct",
                "select add_standard(?)                 | public.audit  | the function add_standard",
                "call add_indirectly()                  | public.audit  | the function add_indirectly",
                "insert into other values (1)           | public.audit  | the trigger audits",
                "copy other from stdin                  | public.audit  | the trigger audits",
                "insert into ruled values (1)           | public.audit  | the rule also",
                "insert into chosen values (1)          | public.audit  | the trigger instead",
                "delete from audit where id = 1         | public.Line   | the foreign key Line_audit_id_fkey",
                "insert into audit values (1)           | public.Line   | ",
                "call add_indirectly()                  | public.Line   | ",
                "select circle(1)                       | public.audit  | ",
                "select my_add_direct(?)                | public.audit  | ",
                "insert into other values (1)           | public.ruled  | ",
                "select * from recent                   | public.audit  | "
            })
    void theDefinitionThatWritesIsFound(String sql, String table, String definition) {
        assertThat(WRITERS.between(sql, table).map(Writers.Definition::toString).orElse(null))
                .isEqualTo(definition);
    }
}
