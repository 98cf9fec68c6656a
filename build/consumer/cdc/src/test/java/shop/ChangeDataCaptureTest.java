package shop;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.storage.Converter;
import org.apache.kafka.connect.storage.HeaderConverter;
import org.apache.kafka.connect.storage.SimpleHeaderConverter;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Debezium sends the messages of the outbox, with publication and settings of docs/messaging.md. There is no broker: a message is
 * what Kafka Connect would give to one.
 */
class ChangeDataCaptureTest {

    private static final List<Message> SENT = new CopyOnWriteArrayList<>();

    private static final List<String> ENDS = new CopyOnWriteArrayList<>();

    /** Kafka Connect's default. */
    private static final HeaderConverter HEADER_CONVERTER = new SimpleHeaderConverter();

    private static EmbeddedPostgres postgres;

    private static ConfigurableApplicationContext shop;

    private static DebeziumEngine<?> engine;

    private static Converter keys;

    private static Converter payloads;

    record Message(String topic, @Nullable String key, @Nullable String payload, Map<String, String> headers) {}

    record Order(String id, long cents) {}

    @BeforeAll
    static void start() throws Exception {
        postgres = EmbeddedPostgres.builder()
                .setServerConfig("wal_level", "logical")
                .start();
        shop = startShop();
        publish(OutboxMessage.of("before", "Order").payload(1));
        jdbc().sql(page("publication.sql")).update();
        jdbc().sql("create role debezium login replication").update();
        Properties settings = new Properties();
        settings.load(new StringReader(page("debezium.properties")));
        keys = converter(settings, "key");
        payloads = converter(settings, "value");
        settings.putAll(Map.of(
                "name", "outbox",
                "database.hostname", "localhost",
                "database.port", String.valueOf(postgres.getPort()),
                "database.dbname", "postgres",
                "database.user", "debezium",
                "offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore",
                "offset.flush.interval.ms", "100",
                "heartbeat.interval.ms", "100"));
        engine = DebeziumEngine.create(Connect.class)
                .using(settings)
                .using((success, message, failure) -> ENDS.add(message + ": " + failure))
                .notifying(event -> SENT.add(message(event.value())))
                .build();
        Thread thread = new Thread(engine, "debezium");
        thread.setDaemon(true);
        thread.start();
        await().until(() -> jdbc().sql("select count(*) from pg_replication_slots where active")
                        .query(Long.class)
                        .single()
                == 1);
    }

    @AfterAll
    static void stop() throws IOException {
        try (EmbeddedPostgres server = postgres;
                ConfigurableApplicationContext application = shop;
                DebeziumEngine<?> reader = engine) {
            assertThat(ENDS).isEmpty();
        }
    }

    @Test
    void aMessageHasTheTopicTheKeyTheIdTheTypeAndThePayloadThatARelayWouldSend() {
        UUID id = publish(OutboxMessage.of("orders", "OrderPlaced")
                .orderingKey("alice")
                .header("tenant", "north")
                .payload(new Order("order-1", 250)));

        Message sent = awaitTopic("orders", 1).get(0);
        assertThat(sent.key()).isEqualTo("alice");
        assertThat(sent.payload()).isEqualTo("{\"id\":\"order-1\",\"cents\":250}");
        assertThat(sent.headers())
                .containsEntry("message-id", id.toString())
                .containsEntry("message-type", "OrderPlaced");
        assertThat(sent.headers().get("headers").replace(" ", "")).isEqualTo("{\"tenant\":\"north\"}");
    }

    @Test
    void messagesOfAnOrderingKeyComeInTheOrderOfTheirCommits() {
        for (int i = 0; i < 20; i++) {
            publish(OutboxMessage.of("steps", "Step").orderingKey("key-" + i % 2).payload(i));
        }

        List<Message> sent = awaitTopic("steps", 20);
        assertThat(sent)
                .filteredOn(message -> message.key().equals("key-0"))
                .extracting(Message::payload)
                .containsExactly("0", "2", "4", "6", "8", "10", "12", "14", "16", "18");
        assertThat(sent)
                .filteredOn(message -> message.key().equals("key-1"))
                .extracting(Message::payload)
                .containsExactly("1", "3", "5", "7", "9", "11", "13", "15", "17", "19");
    }

    @Test
    void aMessageWithoutAnOrderingKeyHasNoKeyAndAnyJsonIsAPayload() {
        publish(OutboxMessage.of("plain", "Text").payload("two words"));
        publish(OutboxMessage.of("plain", "Nothing").withoutPayload());

        List<Message> sent = awaitTopic("plain", 2);
        assertThat(sent).extracting(Message::key).containsOnlyNulls();
        assertThat(sent).extracting(Message::payload).containsExactly("\"two words\"", null);
    }

    @Test
    void aRowMayBeDeletedInItsTransaction() {
        inTransaction(() -> {
            UUID id = outbox().publish(OutboxMessage.of("deleted", "Order").payload(1).build());
            return jdbc().sql("delete from idempotency.outbox_event where message_id = ?")
                    .param(id)
                    .update();
        });

        assertThat(awaitTopic("deleted", 1)).hasSize(1);
    }

    @Test
    void whatWasPublishedBeforeTheFirstStartIsNotSent() {
        awaitAllSent();

        assertThat(sentTo("before")).isEmpty();
    }

    @Test
    void aDelayedMessageIsSentAtOnce() {
        publish(OutboxMessage.of("delayed", "Reminder")
                .notBefore(Instant.now().plus(Duration.ofDays(1)))
                .payload(1));

        assertThat(awaitTopic("delayed", 1)).hasSize(1);
    }

    @Test
    void rowsMayBeUpdatedAndDeletedWhichSendsNothing() {
        UUID id = publish(OutboxMessage.of("changed", "Order").payload(1));

        assertThat(jdbc().sql("update idempotency.outbox_event set next_attempt_at = now() where message_id = ?")
                        .param(id)
                        .update())
                .isOne();
        assertThat(jdbc().sql("delete from idempotency.outbox_event where message_id = ?")
                        .param(id)
                        .update())
                .isOne();
        awaitAllSent();
        assertThat(awaitTopic("changed", 1)).hasSize(1);
    }

    /** Otherwise PostgreSQL keeps its log until the next message. */
    @Test
    void theSlotFollowsTheLogWhileNothingIsPublished() {
        awaitAllSent();
        jdbc().sql("create table other as select generate_series(1, 1000)").update();
        String written = jdbc().sql("select pg_current_wal_lsn()::text").query(String.class).single();

        await().until(() -> jdbc().sql("select bool_and(confirmed_flush_lsn > ?::pg_lsn) from pg_replication_slots")
                .param(written)
                .query(Boolean.class)
                .single());
    }

    /** The second attempt updates the message to oneself, and its success deletes it, which a publication could forbid. */
    @Test
    void aCallIsResumedWithoutARelayAndItsArgumentsAreNotSent() {
        ConfigurableApplicationContext dying = startShop();
        Refunds.INTERRUPTION.set(dying::close);
        CompletableFuture.runAsync(() -> dying.getBean(Refunds.class).pay("refund-1", "secret"));

        await().until(() -> Refunds.ATTEMPTS.get() == 2);
        await().until(() -> jdbc().sql("select count(*) from idempotency.outbox_event where topic = 'idempotency.resume'")
                        .query(Long.class)
                        .single()
                == 0);
        assertThat(shop.getBean(Refunds.class).pay("refund-1", "secret")).isEqualTo("paid to secret");
        awaitAllSent();
        assertThat(SENT).filteredOn(message -> message.toString().contains("secret")).isEmpty();
        assertThat(SENT).extracting(Message::topic).doesNotContain("idempotency.resume");
    }

    private static ConfigurableApplicationContext startShop() {
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                        "spring.datasource.username=postgres")
                .run();
    }

    private static UUID publish(OutboxMessage.Builder message) {
        return inTransaction(() -> outbox().publish(message.build()));
    }

    private static <T> T inTransaction(Supplier<T> work) {
        return new TransactionTemplate(shop.getBean(PlatformTransactionManager.class)).execute(status -> work.get());
    }

    private static Outbox outbox() {
        return shop.getBean(Outbox.class);
    }

    private static JdbcClient jdbc() {
        return shop.getBean(JdbcClient.class);
    }

    private static List<Message> awaitTopic(String topic, int count) {
        await().until(() -> sentTo(topic).size() >= count);
        return sentTo(topic);
    }

    /** Whatever was committed before has been sent. */
    private static void awaitAllSent() {
        String topic = "marker-" + UUID.randomUUID();
        publish(OutboxMessage.of(topic, "Marker").withoutPayload());
        awaitTopic(topic, 1);
    }

    private static ConditionFactory await() {
        return Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .failFast(() -> assertThat(ENDS).isEmpty());
    }

    private static List<Message> sentTo(String topic) {
        return SENT.stream().filter(message -> message.topic().equals(topic)).toList();
    }

    private static Message message(SourceRecord record) {
        Map<String, String> headers = new TreeMap<>();
        record.headers()
                .forEach(header -> headers.put(
                        header.key(),
                        text(HEADER_CONVERTER.fromConnectHeader(
                                record.topic(), header.key(), header.schema(), header.value()))));
        return new Message(
                record.topic(),
                text(keys.fromConnectData(record.topic(), record.keySchema(), record.key())),
                text(payloads.fromConnectData(record.topic(), record.valueSchema(), record.value())),
                headers);
    }

    private static String page(String code) throws IOException {
        try (InputStream stream = ChangeDataCaptureTest.class.getResourceAsStream("/" + code)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Converter converter(Properties settings, String part) throws ReflectiveOperationException {
        Converter converter = (Converter) Class.forName(settings.getProperty(part + ".converter"))
                .getDeclaredConstructor()
                .newInstance();
        converter.configure(Map.of(), part.equals("key"));
        return converter;
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }
}
