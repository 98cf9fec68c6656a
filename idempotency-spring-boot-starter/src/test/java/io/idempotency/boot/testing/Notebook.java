package io.idempotency.boot.testing;

import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;

import static org.assertj.core.api.Assertions.assertThat;

/** The smallest idempotent service: each execution writes one more note. */
public class Notebook {

    private final JdbcClient jdbc;

    public Notebook(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    public static void createTable(JdbcOperations jdbc) {
        jdbc.execute("""
                create table public.note (
                    id bigint generated always as identity primary key,
                    text text not null,
                    xid text not null default pg_current_xact_id()::text,
                    backend int not null default pg_backend_pid())""");
    }

    public static int count(JdbcOperations jdbc) {
        return jdbc.queryForObject("select count(*) from public.note", Integer.class);
    }

    /** Writes with a new key, and again with the same one. */
    public static void assertIdempotent(Notebook notebook, JdbcOperations jdbc) {
        int before = count(jdbc);
        Note first = notebook.write("key " + before, "text");
        assertThat(notebook.write("key " + before, "text")).isEqualTo(first);
        assertThat(count(jdbc)).isEqualTo(before + 1);
    }

    @Transactional
    @Idempotent(scope = "notes", key = "#key")
    public Note write(String key, String text) {
        return insert(text);
    }

    @Transactional
    @Idempotent(scope = "failing-notes", key = "#key")
    public Note writeAndFail(String key, String text) {
        insert(text);
        throw new IllegalArgumentException("after the effect");
    }

    private Note insert(String text) {
        return jdbc.sql("insert into public.note (text) values (?) returning id, text, xid, backend")
                .param(text)
                .query(Note.class)
                .single();
    }
}
