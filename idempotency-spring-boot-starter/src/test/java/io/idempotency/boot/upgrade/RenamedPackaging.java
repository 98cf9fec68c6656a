package io.idempotency.boot.upgrade;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;

/** What replaces a method of another class, under another name. */
class RenamedPackaging {

    private final JdbcTemplate jdbc;

    RenamedPackaging(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Transactional
    @Idempotent(scope = "packages", key = "T(String).valueOf('a-key')")
    public String wrap(NewerShipping.Order parcel) {
        jdbc.update("insert into shipped values (?)", parcel.item());
        return parcel.item() + " in paper";
    }
}
