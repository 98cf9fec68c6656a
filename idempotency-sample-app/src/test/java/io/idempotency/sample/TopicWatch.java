package io.idempotency.sample;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import io.idempotency.test.TestDatabase;

/** Follows what arrives in Kafka, and how far the sample has received it. */
final class TopicWatch implements AutoCloseable {

    /** The relay that has a message on its way has locked its row. */
    private static final String FIND = """
            select m.message_id::text as message_id, coalesce(a.application_name, '') as relay
            from idempotency.outbox_event as m
            left join pg_stat_activity as a on a.backend_xid = m.xmax
            where m.message_id = any (?::uuid[]) and m.status = 'pending'""";

    private static final String EVENTS = "account-events";

    /** Of the sample's listeners, whose offsets are looked at; the watch does not become a member. */
    private static final List<String> GROUPS = List.of("account-balance", "daily-totals");

    private final TestDatabase database;

    private final String kafka;

    private final Consumer<byte[], byte[]> consumer;

    private final Set<String> arrived = new HashSet<>();

    TopicWatch(TestDatabase database, String kafka) {
        this.database = database;
        this.kafka = kafka;
        consumer = consumer(kafka, "watch");
        List<TopicPartition> partitions = partitions(consumer, PaymentMessages.TOPIC);
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
    }

    /**
     * Whether a message has arrived of which the database does not know yet that it was sent. Who kills its relay now has it
     * sent again.
     *
     * @param relay by the name of its connections
     */
    boolean hasUnkeptOf(String relay) {
        consumer.poll(Duration.ofMillis(5))
                .forEach(message -> arrived.add(
                        new String(message.headers().lastHeader("message-id").value(), StandardCharsets.UTF_8)));
        List<Map<String, Object>> unkept = database.jdbc().queryForList(FIND, "{" + String.join(",", arrived) + "}");
        arrived.clear();
        unkept.forEach(message -> arrived.add((String) message.get("message_id")));
        return unkept.stream().anyMatch(message -> relay.equals(message.get("relay")));
    }

    /** Whether the sample has received everything. */
    boolean isReceived() {
        return GROUPS.stream().allMatch(this::hasReceived);
    }

    private boolean hasReceived(String group) {
        try (Consumer<byte[], byte[]> offsets = consumer(kafka, group)) {
            Set<TopicPartition> partitions = Set.copyOf(partitions(offsets, EVENTS));
            Map<TopicPartition, OffsetAndMetadata> received = offsets.committed(partitions);
            return offsets.endOffsets(partitions).entrySet().stream().allMatch(end -> {
                OffsetAndMetadata offset = received.get(end.getKey());
                return end.getValue() == (offset == null ? 0 : offset.offset());
            });
        }
    }

    private static Consumer<byte[], byte[]> consumer(String kafka, String group) {
        return new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka, "group.id", group, "enable.auto.commit", false),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private static List<TopicPartition> partitions(Consumer<byte[], byte[]> consumer, String topic) {
        return consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
    }

    @Override
    public void close() {
        consumer.close();
    }
}
