package io.idempotency.internal.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.SqlRoles;
import io.idempotency.messaging.MessagingListener;
import io.idempotency.outbox.OutboxMessage;
import io.idempotency.outbox.OutboxRecord;
import io.idempotency.test.ConcurrentCalls;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Messages that are published by SQL and sent by the relay. */
@PostgresTest
class SqlPublishTest {

    private final TestDatabase database;

    private final JdbcTemplate admin;

    private final Publisher publisher;

    private final RecordingSender sender = new RecordingSender();

    SqlPublishTest(TestDatabase database) {
        this.database = database;
        this.admin = database.jdbc();
        this.publisher = new Publisher(database.dataSource());
    }

    @BeforeAll
    static void migrate(TestDatabase database) {
        MigratedTables.withFunctionsIn(database);
    }

    @AfterEach
    void clear() {
        admin.execute("truncate idempotency.outbox_event");
    }

    @Test
    void relaySendsThemWithEverythingThatWasTold() {
        UUID id = publish("""
                'orders', 'OrderPlaced', '{"id": 1.00}', ordering_key => 'customer-1',
                headers => '{"tenant": "a", "empty": ""}', aggregate_type => 'order', aggregate_id => '1',
                idempotency_scope => 'create-order', idempotency_key => 'checkout-1', caller => 'shop'""");

        sendAll();

        assertThat(sender.sent).singleElement().satisfies(message -> {
            assertThat(message.id()).isEqualTo(id);
            assertThat(id.version()).isEqualTo(7);
            assertThat(id.variant()).isEqualTo(2);
            assertThat(id.getMostSignificantBits() >>> 16)
                    .isEqualTo(message.createdAt().toEpochMilli());
            assertThat(message.topic()).isEqualTo("orders");
            assertThat(message.type()).isEqualTo("OrderPlaced");
            assertThat(message.payload()).isEqualTo("{\"id\": 1.00}");
            assertThat(message.orderingKey()).isEqualTo("customer-1");
            assertThat(message.headers()).isEqualTo(Map.of("tenant", "a", "empty", ""));
            assertThat(message.aggregateType()).isEqualTo("order");
            assertThat(message.aggregateId()).isEqualTo("1");
            assertThat(message.intent())
                    .isEqualTo(new Intent("create-order", "shop", new IdempotencyKey("checkout-1")));
        });
    }

    @Test
    void whatIsNotToldIsLeftOut() {
        publish("'orders', 'OrderPlaced', null, without_payload => true");
        publish("'orders', 'OrderPlaced', '1', idempotency_scope => 's', idempotency_key => 'k'");

        sendAll();

        assertThat(sender.sent).extracting(OutboxRecord::payload).containsExactlyInAnyOrder(null, "1");
        assertThat(sender.sent)
                .allSatisfy(message -> assertThat(message.headers()).isEmpty());
        assertThat(sender.sent)
                .extracting(OutboxRecord::intent)
                .containsExactlyInAnyOrder(null, new Intent("s", "", new IdempotencyKey("k")));
    }

    @Test
    void messageForLaterIsNotSentNow() {
        publish("'orders', 'OrderPlaced', '1', due_at => now() + interval '1 hour'");
        publish("'orders', 'OrderPlaced', '2', due_at => now() - interval '1 hour'");

        sendAll();

        assertThat(sender.payloads()).containsExactly("2");
        assertThat(admin.queryForObject(
                        "select due_at >= created_at from idempotency.outbox_event where payload::text = '2'",
                        Boolean.class))
                .isTrue();
    }

    @Test
    void messageOfATransactionThatIsRolledBackIsNotSent() throws SQLException {
        try (var connection = database.connection()) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("select idempotency.idempotency_publish('t', 't', '1')");
            connection.rollback();
        }
        sendAll();

        assertThat(sender.sent).isEmpty();
    }

    @Test
    void deduplicationKeyGivesTheEarlierMessageOfEitherKind() {
        UUID bySql = publish("'t', 't', '1', deduplication_key => 'a'");
        UUID byJava = publisher.publish(
                OutboxMessage.of("t", "t").payload(2).deduplicationKey("b").build());

        assertThat(publish("'t', 't', '1', deduplication_key => 'a'")).isEqualTo(bySql);
        assertThat(publish("'t', 't', ' 2 ', deduplication_key => 'b'")).isEqualTo(byJava);
        assertThat(publish("'other', 't', '2', deduplication_key => 'b'")).isNotEqualTo(byJava);
        UUID empty = publish("'t', 't', 'null', without_payload => true, deduplication_key => 'c'");
        assertThat(publish("'t', 't', 'null', without_payload => true, deduplication_key => 'c'"))
                .isEqualTo(empty);
        assertThat(publish("'t', 't', null, without_payload => true, deduplication_key => 'c'"))
                .isEqualTo(empty);
        assertThat(publisher.publish(OutboxMessage.of("t", "t")
                        .payload(1)
                        .deduplicationKey("a")
                        .build()))
                .isEqualTo(bySql);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"a\": 1, \"b\": [1e2]} | {\"b\":[100.0],\"a\":1.00} | true",
                "\"\\u0000\" | \"\\u0000\" | true",
                "[\"\\u0000\"] | [\"\\u0001\"] | false",
                "[\"\\ud800\", 1] | [\"\\ud800\", 2] | false",
                "1e99999999 | 1e99999998 | false",
                "1 | | false",
                "| | true",
            })
    void payloadsAreComparedByTheirValueAlsoIfTheyCannotBeJsonb(String first, String second, boolean same) {
        assertThat(admin.queryForObject(
                        "select idempotency.idempotency_same_json(cast(? as json), cast(? as json))",
                        Boolean.class,
                        first,
                        second))
                .isEqualTo(same);
    }

    @ParameterizedTest
    @ValueSource(strings = {"'t', 't', '2', deduplication_key => 'a'", "'t', 'other', '1', deduplication_key => 'a'"})
    void deduplicationKeyRefusesAnotherMessage(String arguments) {
        publish("'t', 't', '1', deduplication_key => 'a'");

        assertThatThrownBy(() -> publish(arguments))
                .hasMessageContaining("The deduplication key 'a' of the topic 't' belongs to another message")
                .rootCause()
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(refused.getSQLState()).isEqualTo("P4030"));
    }

    @Test
    @Tag("race")
    void deduplicationKeyIsTakenOnceWhoeverPublishes() {
        List<UUID> ids = ConcurrentCalls.run(
                        8,
                        caller -> caller % 2 == 0
                                ? publish("'t', 't', '1', deduplication_key => 'race'")
                                : publisher.publish(OutboxMessage.of("t", "t")
                                        .payload(1)
                                        .deduplicationKey("race")
                                        .build()))
                .requireAllSucceeded();

        assertThat(ids).containsOnly(ids.get(0));
        assertThat(admin.queryForObject("select count(*) from idempotency.outbox_event", Integer.class))
                .isOne();
    }

    @Test
    void orderOfAKeyHoldsWhoeverPublishes() {
        for (int i = 0; i < 20; i++) {
            if (i % 2 == 0) {
                publish("'orders', 'OrderPlaced', '%d', ordering_key => 'customer-1'".formatted(i));
            } else {
                publisher.publish("customer-1", i);
            }
        }

        sendAll();

        assertThat(sender.payloads())
                .containsExactlyElementsOf(
                        IntStream.range(0, 20).mapToObj(Integer::toString).toList());
    }

    @Test
    void laneOfAKeyIsThatOfJava() {
        Random random = new Random(42);
        for (int lanes : new int[] {1, 7, 64, 1_024}) {
            Lanes ofJava = new Lanes(lanes);
            for (int i = 0; i < 200; i++) {
                String key = random.ints(1 + random.nextInt(40), 0x20, 0x1F600)
                        .filter(character -> Character.isLetterOrDigit(character) || character > 0x1F000)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .append(i)
                        .toString();

                assertThat(publisher.jdbc.queryForObject(
                                "select idempotency.idempotency_outbox_lane(?, ?)", Integer.class, key, lanes))
                        .as(key)
                        .isEqualTo(ofJava.of(key));
            }
        }
    }

    @Test
    void whatHasNoOrderGoesAnywhere() {
        assertThat(admin.queryForList(
                        "select distinct idempotency.idempotency_outbox_lane(null, 4) from generate_series(1, 200)",
                        Integer.class))
                .containsExactlyInAnyOrder(0, 1, 2, 3);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            P4001 | '', 't', '1'                                                      | The topic is blank
            P4001 | repeat('t', 250), 't', '1'                                        | The topic has 250 characters, more than 249
            P4001 | 't', null, '1'                                                    | The message type is missing
            P4002 | 't', 't', null                                                    | The payload is missing
            P4002 | 't', 't', ' null '                                                | The payload is missing
            P4002 | 't', 't', '1', without_payload => true                            | The message has a payload
            P4002 | 't', 't', null, without_payload => null                           | The payload is missing
            P4001 | 't', 't', '1', ordering_key => ' '                                | The ordering key is blank
            P4001 | 't', 't', '1', deduplication_key => repeat('k', 256)              | The deduplication key has 256 characters
            P4001 | 't', 't', '1', aggregate_type => 'order'                          | The aggregate id is missing
            P4001 | 't', 't', '1', idempotency_key => 'k'                             | The scope is missing
            P4001 | 't', 't', '1', caller => 'c'                                      | The scope is missing
            P4001 | 't', 't', '1', headers => '{"": "v"}'                             | The name of a header is blank
            P4001 | 't', 't', '1', headers => '{"h": "a\\u0007"}'                     | The header 'h' contains U+0007
            P4001 | 't', 't', '1', headers => json_build_object('h', repeat('v', 1025)) | The header 'h' has 1025 characters
            P4002 | 't', 't', '1', headers => '{"h": 1}'                              | The header 'h' is not a string
            P4002 | 't', 't', '1', headers => '{"h": null}'                           | The header 'h' is not a string
            P4002 | 't', 't', '1', headers => '[]'                                    | The headers are not a JSON object
            P4002 | 't', 't', '1', headers => null                                    | The headers are not a JSON object
            P4002 | 't', 't', '1', headers => '{"message-id": "1"}'                   | The header 'message-id' of a message is the library's own
            P4002 | 't', 't', '1', headers => (select json_object_agg(concat('h', i), '') from generate_series(1, 65) i) | at most 64 headers, not 65
            P4002 | 't', 't', '1', lanes => 0                                         | The number of lanes must be 1 to 1024, not 0
            P4002 | 't', 't', '1', due_at => 'infinity'                               | would never be
            """)
    void malformedMessagesAreRefused(String state, String arguments, String message) {
        assertThatThrownBy(() -> publish(arguments))
                .rootCause()
                .isInstanceOfSatisfying(
                        SQLException.class,
                        refused -> assertThat(refused.getSQLState()).isEqualTo(state))
                .hasMessageContaining(message);
        assertThat(admin.queryForObject("select count(*) from idempotency.outbox_event", Integer.class))
                .isZero();
    }

    /** A trigger that somebody made keeps undoing what was inserted. */
    @Test
    void keyThatIsInUseAndFreeAgainAllTheTimeIsNotTriedForForever() {
        admin.execute("""
                create function never() returns trigger language plpgsql as 'begin return null; end';
                create trigger never before insert on idempotency.outbox_event
                for each row execute function never()""");
        try {
            assertThatThrownBy(() -> publish("'t', 't', '1', deduplication_key => 'a'"))
                    .rootCause()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            refused -> assertThat(refused.getSQLState()).isEqualTo("P4014"));
        } finally {
            admin.execute("drop function never cascade");
        }
    }

    private UUID publish(String arguments) {
        try (Connection worker = SqlRoles.worker(database)) {
            return new JdbcTemplate(new SingleConnectionDataSource(worker, true))
                    .queryForObject("select idempotency.idempotency_publish(" + arguments + ")", UUID.class);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private void sendAll() {
        OutboxRelay relay = new OutboxRelay(
                publisher.store,
                sender,
                new RelaySettings(
                        100, Duration.ofSeconds(10), 3, new Backoff(Duration.ofMinutes(1), 2, Duration.ofHours(1))),
                new MessagingListener() {});
        while (!relay.sendBatch().equals(OutboxRelay.Round.NOTHING_DUE)) {
            // Until nothing is due any more.
        }
    }
}
