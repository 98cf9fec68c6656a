package io.idempotency.sample.webhooks.github;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The issues in the database. */
@Repository
class Issues {

    private static final String PUT = """
            insert into repository_issue (repository, number, title, state, updated_at)
            values (:repository, :number, :title, :state, :updatedAt)
            on conflict (repository, number) do update
            set title = excluded.title, state = excluded.state, updated_at = excluded.updated_at
            where repository_issue.updated_at <= excluded.updated_at""";

    private final JdbcClient jdbc;

    Issues(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Lets an issue be like this, unless it is known how it was later. */
    void put(Issue issue) {
        jdbc.sql(PUT).paramSource(issue).update();
    }
}
