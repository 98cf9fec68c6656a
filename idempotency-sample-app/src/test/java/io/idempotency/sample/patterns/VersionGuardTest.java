package io.idempotency.sample.patterns;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The effect is the newest state: what is older than what is there changes nothing. */
@PostgresTest
@Tag("full")
class VersionGuardTest {

    private static final String KEEP_NEWEST = """
            insert into customer_address (customer_id, version, address)
            values (?, ?, ?)
            on conflict (customer_id) do update
            set version = excluded.version, address = excluded.address
            where customer_address.version < excluded.version""";

    private final JdbcTemplate jdbc;

    VersionGuardTest(TestDatabase database) {
        jdbc = database.jdbc();
    }

    @Test
    void theNewestAddressStaysInWhateverOrderTheyCome() {
        jdbc.execute("create table customer_address"
                + " (customer_id text primary key, version bigint not null, address text not null)");
        List<Integer> versions = IntStream.rangeClosed(1, 10).boxed().toList();

        Deliveries.atOnce(versions, version -> jdbc.update(KEEP_NEWEST, "c-1", version, "address " + version));

        assertThat(jdbc.queryForList("select version || ' ' || address from customer_address", String.class))
                .containsExactly("10 address 10");
    }
}
