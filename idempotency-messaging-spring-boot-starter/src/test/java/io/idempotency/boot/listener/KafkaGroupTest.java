package io.idempotency.boot.listener;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;
import io.idempotency.test.TestSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A producer sends a fifth of its messages twice, the members of the group are stopped in the middle of their work, the
 * broker does not learn how far they got, and the database ends their sessions: every deposit is made once.
 */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
class KafkaGroupTest {

    private static final int MEMBERS = 3;

    private static final int PARTITIONS = 6;

    private static final int ACCOUNTS = 50;

    private static final Duration PATIENCE = Duration.ofMinutes(TestSize.pick(2, 10));

    /** Of all members together. */
    private static final int MOST_IN_FLIGHT = MEMBERS * KafkaGroupMember.MOST_POLLED;

    private static final String KILL_A_TRANSACTION = """
            select pg_terminate_backend(pid)
            from pg_stat_activity
            where datname = current_database() and backend_xid is not null and pid <> pg_backend_pid()
            limit 1""";

    private final TestDatabase database;

    private final Random random = new Random(11);

    @AutoClose
    private KafkaBroker broker;

    KafkaGroupTest(TestDatabase database) {
        this.database = database;
    }

    @BeforeAll
    void startBroker() {
        broker = KafkaBroker.start(PARTITIONS, SingleListener.TOPIC, BatchListener.TOPIC);
        Wallets.createTables(database.jdbc());
    }

    @BeforeEach
    void empty() {
        database.jdbc().execute("truncate wallet, wallet_entry");
    }

    @Test
    @Tag("race")
    void aListenerHandlesEachMessageOnceThoughItsGroupRebalances() {
        assertEachIsHandledOnce(SingleListener.TOPIC, SingleListener.class);

        assertThat(database.jdbc().queryForObject("select count(*) from idempotency.message_failure", Long.class))
                .isZero();
    }

    @Test
    @Tag("race")
    void aBatchListenerHandlesEachMessageOnceThoughItsGroupRebalances() {
        assertEachIsHandledOnce(BatchListener.TOPIC, BatchListener.class);
    }

    private void assertEachIsHandledOnce(String topic, Class<?> listener) {
        List<Deposit> deposits = deposits(TestSize.pick(2_000, 20_000));
        List<Deposit> sent = withRepeats(deposits);
        Wallets wallets = new Wallets(database.jdbc());
        List<KafkaGroupMember> members = IntStream.range(0, MEMBERS)
                .mapToObj(member -> KafkaGroupMember.start(database, broker, topic, listener))
                .toList();
        List<KafkaGroupMember.Deliveries> deliveries =
                members.stream().map(KafkaGroupMember::deliveries).toList();
        try {
            send(topic, sent);
            disturb(members, wallets, deposits.size());
            deliveries.forEach(of -> of.losesCommits.set(false));
            members.forEach(KafkaGroupMember::restart);
            Awaitility.await().atMost(PATIENCE).until(() -> broker.isDrained(topic));
        } finally {
            members.forEach(KafkaGroupMember::close);
        }

        assertThat(wallets.entries()).isEqualTo(deposits.size());
        assertThat(wallets.balances()).isEqualTo(Wallets.sums(deposits));
        assertThat(deliveries.stream().mapToInt(of -> of.lostCommits.get()))
                .as("commits lost by each member")
                .allMatch(lost -> lost > 0);
        assertThat(deliveries.stream().mapToInt(of -> of.received.get()).sum())
                .as("deliveries of %d messages", sent.size())
                .isGreaterThan(sent.size());
    }

    private List<Deposit> deposits(int count) {
        return IntStream.range(0, count)
                .mapToObj(number ->
                        new Deposit("m-" + number, "account-" + random.nextInt(ACCOUNTS), 1 + random.nextInt(100)))
                .toList();
    }

    /** Another fifth, anywhere behind the first sending. */
    private List<Deposit> withRepeats(List<Deposit> deposits) {
        List<Deposit> repeated = new ArrayList<>(deposits);
        Collections.shuffle(repeated, random);
        List<Deposit> sent = new ArrayList<>(deposits);
        for (Deposit again : repeated.subList(0, deposits.size() / 5)) {
            int first = sent.indexOf(again);
            sent.add(first + 1 + random.nextInt(sent.size() - first), again);
        }
        return sent;
    }

    private void send(String topic, List<Deposit> deposits) {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address()),
                new StringSerializer(),
                new StringSerializer())) {
            List<Future<RecordMetadata>> sendings = deposits.stream()
                    .map(deposit -> producer.send(deposit.toRecord(topic)))
                    .toList();
            producer.flush();
            assertThat(sendings).allMatch(Future::isDone);
        }
    }

    /** Kills a transaction and stops a member, again and again until everything was handled. */
    private void disturb(List<KafkaGroupMember> members, Wallets wallets, int messages) {
        int step = messages / TestSize.pick(10, 50);
        for (int handled = step; handled < messages; handled += step) {
            int next = handled;
            Awaitility.await().atMost(PATIENCE).until(() -> wallets.handled() >= next);
            if (wallets.handled() < messages - MOST_IN_FLIGHT) {
                killATransaction(() -> wallets.handled() == messages);
            }
            members.get(random.nextInt(MEMBERS)).restart();
        }
        Awaitility.await().atMost(PATIENCE).until(() -> wallets.handled() == messages);
    }

    /** The next one that is seen with something written, unless all of them are over before one is seen. */
    private void killATransaction(BooleanSupplier over) {
        Awaitility.await("a transaction to kill")
                .atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> !database.jdbc().queryForList(KILL_A_TRANSACTION).isEmpty() || over.getAsBoolean());
    }

    static class SingleListener {

        static final String TOPIC = "singles";

        private final Wallets wallets;

        SingleListener(Wallets wallets) {
            this.wallets = wallets;
        }

        @KafkaListener(id = KafkaGroupMember.LISTENER, idIsGroup = false, topics = TOPIC)
        @Transactional
        @IdempotentReceiver(consumer = "wallets", messageId = "#messageId")
        public void receive(ConsumerRecord<String, String> record, @Header(Deposit.MESSAGE_ID) String messageId) {
            wallets.deposit(Deposit.of(record));
        }
    }

    static class BatchListener {

        static final String TOPIC = "batches";

        private final Wallets wallets;

        private final Inbox inbox;

        private final KafkaGroupMember.Deliveries deliveries;

        BatchListener(Wallets wallets, Inbox inbox, KafkaGroupMember.Deliveries deliveries) {
            this.wallets = wallets;
            this.inbox = inbox;
            this.deliveries = deliveries;
        }

        @KafkaListener(id = KafkaGroupMember.LISTENER, idIsGroup = false, topics = TOPIC, batch = "true")
        @Transactional
        public void receive(List<ConsumerRecord<String, String>> records) {
            deliveries.received.addAndGet(records.size());
            inbox.claimNew("wallets-in-batches", records, Deposit::idOf).stream()
                    .map(Deposit::of)
                    .forEach(wallets::deposit);
        }
    }
}
