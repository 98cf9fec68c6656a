package io.idempotency.internal.postgres.engine;

import java.util.Optional;
import java.util.stream.Stream;

import io.idempotency.IdempotencyStartupException;

/** The engines that speak PostgreSQL's protocol, but on which the guarantee does not hold. */
enum RefusedEngine {
    COCKROACHDB(
            "CockroachDB",
            "CockroachDB",
            "In most of its versions advisory locks do not exist, or always succeed and lock nothing. Two transactions would"
                    + " hold one lock, and two relays send the same messages."),

    YUGABYTEDB(
            "YugabyteDB",
            "-YB-",
            "In most of its versions advisory locks do not exist, or always succeed and lock nothing; and a claim may fail"
                    + " instead of waiting for the call that holds its key. Two transactions would hold one lock, two relays send"
                    + " the same messages, and repeats get errors."),

    AURORA_DSQL(
            "Aurora DSQL",
            "DSQL",
            "It takes no locks, and compares transactions only at their COMMIT. A repeat would not wait for the call that holds"
                    + " its key: the method would run in both, and what it does outside of the database would happen twice."),

    REDSHIFT(
            "Amazon Redshift",
            "Redshift",
            "It does not enforce primary keys and unique constraints. Two calls would claim one key, and both take effect.");

    private final String product;

    private final String mark;

    private final String consequence;

    RefusedEngine(String product, String mark, String consequence) {
        this.product = product;
        this.mark = mark;
        this.consequence = consequence;
    }

    /**
     * Finds an engine by what it says of itself.
     *
     * @param version the result of {@code version()}; that of Aurora PostgreSQL is PostgreSQL's own
     */
    static Optional<RefusedEngine> of(String version) {
        return Stream.of(values())
                .filter(engine -> version.contains(engine.mark))
                .findFirst();
    }

    IdempotencyStartupException refuse(String version) {
        return new IdempotencyStartupException(
                "The idempotency tables cannot be kept in " + product + " (" + version + "). " + consequence,
                "Name the DataSource of a PostgreSQL database with idempotency.data-source: the one that holds what the"
                        + " idempotent methods change. Amazon Aurora PostgreSQL and other services that run PostgreSQL itself will do.");
    }
}
