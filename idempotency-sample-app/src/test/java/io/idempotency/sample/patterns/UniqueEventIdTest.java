package io.idempotency.sample.patterns;

import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The effect is one row: the event's id is a unique column of it, and nothing else is needed. */
@PostgresTest
@Tag("full")
class UniqueEventIdTest {

    private static final String SHIP = """
            insert into shipment (event_id, order_id)
            values (?, ?)
            on conflict (event_id) do nothing""";

    private final JdbcTemplate jdbc;

    UniqueEventIdTest(TestDatabase database) {
        jdbc = database.jdbc();
    }

    @Test
    void anEventShipsOnce() {
        jdbc.execute("create table shipment (event_id text primary key, order_id text not null)");

        Deliveries.atOnce(List.of("e-1", "e-2", "e-3", "e-4"), event -> jdbc.update(SHIP, event, "order of " + event));

        assertThat(jdbc.queryForList("select event_id || ': ' || order_id from shipment order by 1", String.class))
                .containsExactly("e-1: order of e-1", "e-2: order of e-2", "e-3: order of e-3", "e-4: order of e-4");
    }
}
