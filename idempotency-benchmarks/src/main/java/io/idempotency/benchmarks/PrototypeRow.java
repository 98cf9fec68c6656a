package io.idempotency.benchmarks;

import java.util.function.Consumer;

import org.springframework.jdbc.core.JdbcTemplate;

/** A row that the library itself wrote, and many like it. */
final class PrototypeRow {

    /** Found nowhere else in the row. */
    private static final int NUMBER = 1_987_654_321;

    private final JdbcTemplate admin;

    private final String table;

    private final String column;

    private final String row;

    /**
     * Lets the library write the row.
     *
     * @param column holds the number of the payment
     */
    PrototypeRow(JdbcTemplate admin, String table, String column, Consumer<Payment> writing) {
        this.admin = admin;
        this.table = table;
        this.column = column;
        writing.accept(new Payment(NUMBER, 0, Payment.TEXT));
        String written = admin.queryForObject("select row_to_json(t)::text from " + table + " as t", String.class);
        if (written == null) {
            throw new IllegalStateException("No row in " + table);
        }
        row = written;
        admin.execute("truncate " + table);
    }

    /**
     * Inserts rows.
     *
     * @param changes further columns and values, as of jsonb_build_object, each with a comma before
     */
    void insert(int count, String changes) {
        admin.update("""
                insert into %1$s
                select made.*
                from (select ?::jsonb as prototype) as p
                cross join generate_series(0, ? - 1) as n
                cross join lateral json_populate_record(null::%1$s, (p.prototype || jsonb_build_object(
                    'id', gen_random_uuid(),
                    '%2$s', replace(p.prototype->>'%2$s', '%3$d', n::text)%4$s))::json) as made
                """.formatted(table, column, NUMBER, changes), row, count);
    }
}
