package io.idempotency.sample;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What anybody can write to a topic, and what comes after it. */
@Tag("full")
class UnreadableMessagesTest {

    private static final List<String> UNREADABLE = List.of("garbage", "", "{}", "[]", "null");

    @TempDir
    private Path directory;

    @Test
    @Tag("race")
    void theyHoldNobodyUp() throws Exception {
        try (KafkaProcess kafka = KafkaProcess.start(directory.resolve("kafka"));
                RunningSample sample = RunningSample.start(
                        "--spring.profiles.active=kafka", "--spring.kafka.bootstrap-servers=" + kafka.address())) {
            WalletClient wallet = sample.wallet();
            assertThat(wallet.pay("1", payment("1").body()).status()).isEqualTo(201);
            awaitNotifications(sample, 1);
            String readable = sample.texts("select payload from idempotency.outbox_event where topic = 'payments'")
                    .get(0);

            sendToAllPartitions(kafka, readable);

            assertThat(wallet.pay("2", payment("2").body()).status()).isEqualTo(201);
            awaitNotifications(sample, 2);
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> ProjectionChecks.requireExact(sample.jdbc()));
        }
    }

    private static Orders.Order payment(String reference) {
        return new Orders.Order(reference, "alice", 1250);
    }

    /** The readable one lacks the header that names it. */
    private static void sendToAllPartitions(KafkaProcess kafka, String readable) throws Exception {
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.address()), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (String topic : List.of("account-events", "payments")) {
                for (int partition = 0;
                        partition < producer.partitionsFor(topic).size();
                        partition++) {
                    for (String text : UNREADABLE) {
                        send(producer, topic, partition, text.getBytes(StandardCharsets.UTF_8));
                    }
                    send(producer, topic, partition, null);
                }
            }
            for (int partition = 0;
                    partition < producer.partitionsFor("payments").size();
                    partition++) {
                send(producer, "payments", partition, readable.getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private static void send(Producer<byte[], byte[]> producer, String topic, int partition, byte[] text)
            throws Exception {
        producer.send(new ProducerRecord<>(topic, partition, null, text)).get();
    }

    private static void awaitNotifications(RunningSample sample, long count) {
        await().atMost(Duration.ofSeconds(60)).until(() -> sample.count("sent_notification") == count);
    }
}
