package io.idempotency.postgres;

import java.time.LocalDate;
import java.time.ZoneOffset;

import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Responses in a table of their own, in partitions of a day. */
final class ResponsesInTable {

    private static final String SETTING = "idempotency.storage.responses";

    /** More than the retention of {@link Requests}. */
    private static final int DAYS = 9;

    private ResponsesInTable() {}

    /** Says so of whatever is opened on this database from now on. */
    static TestDatabase of(TestDatabase database) {
        return database.with(SETTING, "day");
    }

    static boolean areIn(TestDatabase database) {
        return database.springProperties().containsKey(SETTING);
    }

    /** Divides what is in one partition, with one for all that is before today and one for all that is after them. */
    static void partition(JdbcTemplate jdbc) {
        partition(jdbc, 0);
    }

    /** The same with so many days that are over. */
    static void partition(JdbcTemplate jdbc, int daysBefore) {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        jdbc.execute("drop table idempotency.idempotency_response_rest");
        add(jdbc, "before", "minvalue", bound(today.minusDays(daysBefore)));
        for (int day = -daysBefore; day < DAYS; day++) {
            add(jdbc, leafOf(today.plusDays(day)), bound(today.plusDays(day)), bound(today.plusDays(day + 1)));
        }
        add(jdbc, "rest", bound(today.plusDays(DAYS)), "maxvalue");
    }

    /** Tests that are inherited would pass as well without it. */
    static void requireUsed(TestDatabase database) {
        assertThat(database.jdbc()
                        .queryForObject("select exists (select from idempotency.idempotency_response)", Boolean.class))
                .as("there are responses in the table of their own")
                .isTrue();
    }

    static String leafOf(LocalDate day) {
        return day.toString().replace("-", "");
    }

    private static void add(JdbcTemplate jdbc, String leaf, String from, String until) {
        jdbc.execute("create table idempotency.idempotency_response_" + leaf
                + " partition of idempotency.idempotency_response for values from (" + from + ") to (" + until + ")");
    }

    private static String bound(LocalDate day) {
        return "'" + day + " 00:00:00+00'";
    }
}
