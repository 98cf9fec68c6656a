package io.idempotency.sample.patterns;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The effect is one statement: a common table expression takes the event's id, and the effect reads from it. */
@PostgresTest
@Tag("full")
class SingleStatementTest {

    private static final String COUNT = """
            with new_event as (
                insert into counted_event (event_id)
                values (?)
                on conflict (event_id) do nothing
                returning event_id)
            update page_views
            set views = views + ?
            from new_event
            where page_views.page = ?""";

    private final JdbcTemplate jdbc;

    SingleStatementTest(TestDatabase database) {
        jdbc = database.jdbc();
    }

    @Test
    void aVisitIsCountedOnce() {
        jdbc.execute("""
                create table counted_event (event_id text primary key);
                create table page_views (page text primary key, views bigint not null)""");
        jdbc.update("insert into page_views values ('/', 0)");

        Deliveries.atOnce(List.of("v-1", "v-2", "v-3", "v-4", "v-5"), visit -> jdbc.update(COUNT, visit, 10, "/"));

        assertThat(jdbc.queryForObject("select views from page_views", Long.class))
                .isEqualTo(50);
    }
}
