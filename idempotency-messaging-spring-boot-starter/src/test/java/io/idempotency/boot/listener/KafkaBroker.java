package io.idempotency.boot.listener;

import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** A Kafka broker of this JVM, in KRaft mode. */
final class KafkaBroker implements AutoCloseable {

    private final EmbeddedKafkaBroker broker;

    private KafkaBroker(EmbeddedKafkaBroker broker) {
        this.broker = broker;
    }

    static KafkaBroker start(int partitions, String... topics) {
        EmbeddedKafkaBroker broker = new EmbeddedKafkaKraftBroker(1, partitions, topics);
        broker.afterPropertiesSet();
        return new KafkaBroker(broker);
    }

    String address() {
        return broker.getBrokersAsString();
    }

    /** Whether a group has committed everything that is in its topics. */
    boolean isDrained(String group) {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, address()))) {
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .get();
            Map<TopicPartition, ListOffsetsResultInfo> ends = admin.listOffsets(committed.keySet().stream()
                            .collect(Collectors.toMap(Function.identity(), partition -> OffsetSpec.latest())))
                    .all()
                    .get();
            return !ends.isEmpty()
                    && ends.entrySet().stream()
                            .allMatch(end -> committed.get(end.getKey()).offset()
                                    == end.getValue().offset());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public void close() {
        broker.destroy();
    }
}
