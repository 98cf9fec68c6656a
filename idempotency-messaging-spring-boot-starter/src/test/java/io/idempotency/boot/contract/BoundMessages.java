package io.idempotency.boot.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;

/**
 * Messages whose ids tell when they are to be delivered, and their effect, which nothing keeps from being made twice. It takes
 * some time, so that bounds pass between the beginning of a transaction and its end.
 */
class BoundMessages {

    static final String CONSUMER = "bounds";

    static final String CREATE_EFFECTS = """
            create table effect (
                message_id text not null, begun timestamptz not null default now(), written timestamptz not null)""";

    static final String MAKE_EFFECT = """
            insert into effect (message_id, written)
            select ?, clock_timestamp()
            from (select pg_sleep(0.02)) as work""";

    /** Each of them delivers messages of its own, so that nobody falls behind the time. */
    static final int GROUPS = 4;

    /** For the second half of those who deliver a message. */
    private static final Duration LATER = Duration.ofMillis(150);

    private static final String SEPARATOR = "-";

    private final JdbcTemplate jdbc;

    BoundMessages(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Tells that it has handled the message. */
    @Transactional
    @IdempotentReceiver(consumer = CONSUMER, messageId = "#id")
    public String handle(String id) {
        jdbc.update(MAKE_EFFECT, id);
        return "handled";
    }

    static String id(Instant time, int number) {
        return time.toEpochMilli() + SEPARATOR + number;
    }

    static List<String> of(int client, List<String> ids) {
        return IntStream.range(0, ids.size())
                .filter(i -> i % GROUPS == client % GROUPS)
                .mapToObj(ids::get)
                .toList();
    }

    static void awaitTurn(int client, String id) {
        Instant time = Instant.ofEpochMilli(Long.parseLong(id.substring(0, id.indexOf(SEPARATOR))))
                .plus(LATER.multipliedBy(client / GROUPS % 2));
        Awaitility.await(id)
                .pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(2))
                .until(() -> !Instant.now().isBefore(time));
    }
}
