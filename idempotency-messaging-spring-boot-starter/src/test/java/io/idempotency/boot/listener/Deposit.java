package io.idempotency.boot.listener;

import java.nio.charset.StandardCharsets;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A message of these tests: whoever handles it twice has too much money. */
record Deposit(String id, String account, long cents) {

    static final String MESSAGE_ID = "message-id";

    static String idOf(ConsumerRecord<String, String> record) {
        return new String(record.headers().lastHeader(MESSAGE_ID).value(), StandardCharsets.UTF_8);
    }

    static Deposit of(ConsumerRecord<String, String> record) {
        return new Deposit(idOf(record), record.key(), Long.parseLong(record.value()));
    }

    ProducerRecord<String, String> toRecord(String topic) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, account, Long.toString(cents));
        record.headers().add(MESSAGE_ID, id.getBytes(StandardCharsets.UTF_8));
        return record;
    }
}
