package io.idempotency.sample;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * All that Kafka holds about payments, each partition in its order.
 *
 * @param arrivals what arrived, more than once too
 */
record PaymentMessages(List<Arrival> arrivals) {

    static final String TOPIC = "payments";

    /** One message that arrived. */
    record Arrival(
            String messageId, String key, String paymentId, String accountId, long amountCents, long balanceCents) {

        private static Arrival of(ConsumerRecord<String, String> message) {
            DocumentContext payload = JsonPath.parse(message.value());
            assertThat(header(message, "message-type")).isEqualTo("payment.accepted");
            return new Arrival(
                    header(message, "message-id"),
                    message.key(),
                    payload.read("$.payment.paymentId"),
                    payload.read("$.payment.accountId"),
                    payload.read("$.payment.amountCents", Long.class),
                    payload.read("$.balanceCents", Long.class));
        }

        private static String header(ConsumerRecord<String, String> message, String name) {
            return new String(message.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
        }
    }

    /** Reads the topic from its beginning to its end. */
    static PaymentMessages readAll(String kafka) {
        List<Arrival> arrivals = new ArrayList<>();
        try (Consumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", kafka), new StringDeserializer(), new StringDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(TOPIC).stream()
                    .map(partition -> new TopicPartition(TOPIC, partition.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> end = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(partition -> consumer.position(partition) < end.get(partition))) {
                consumer.poll(Duration.ofSeconds(1)).forEach(message -> arrivals.add(Arrival.of(message)));
            }
        }
        return new PaymentMessages(arrivals);
    }

    Map<String, Set<String>> messageIdsByPayment() {
        return arrivals.stream().collect(groupingBy(Arrival::paymentId, mapping(Arrival::messageId, toSet())));
    }

    /** Each payment's first arrival continues where the one before of its account has left the balance. */
    void requireOrder(long balanceAtFirst) {
        Set<String> seen = new HashSet<>();
        Map<String, Long> balances = new HashMap<>();
        List<Arrival> misplaced = arrivals.stream()
                .filter(arrival -> seen.add(arrival.paymentId()))
                .filter(arrival -> {
                    Long before = balances.put(arrival.accountId(), arrival.balanceCents());
                    return (before == null ? balanceAtFirst : before) - arrival.amountCents() != arrival.balanceCents();
                })
                .toList();
        assertThat(misplaced).as("first arrivals out of order").isEmpty();
    }
}
