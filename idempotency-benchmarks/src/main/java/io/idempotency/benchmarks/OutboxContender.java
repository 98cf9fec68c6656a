package io.idempotency.benchmarks;

import java.util.Map;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A library that publishes a message with each effect and delivers it afterwards, on a database of its own. */
abstract class OutboxContender implements AutoCloseable {

    /** How many messages are handled at once, whoever does it. */
    static final int HANDLER_THREADS = 4;

    private static final long IDLE_TIMEOUT_NANOS = 300_000_000_000L;

    private static final long IDLE_POLL_MILLIS = 2;

    final Deliveries deliveries = new Deliveries();

    final Map<String, Object> dataSource;

    final JdbcTemplate admin;

    private final String name;

    OutboxContender(String name, String database, BenchmarkServer server) {
        this.name = name;
        dataSource = server.createDatabase(database);
        admin = server.jdbc(database);
        Effect.createTables(admin);
    }

    final String name() {
        return name;
    }

    final Deliveries deliveries() {
        return deliveries;
    }

    /** Makes one effect and publishes its message, in one transaction. */
    final void pay(Payment payment) {
        ConfigurableApplicationContext application = publisher();
        new TransactionTemplate(application.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            application.getBean(Effect.class).pay(payment);
            deliveries.stampCommit(payment.number());
            publish(payment);
        });
    }

    /** Until nothing is left to deliver, and it is kept that it was. */
    final void awaitIdle() throws InterruptedException {
        deliveries.await();
        long deadline = System.nanoTime() + IDLE_TIMEOUT_NANOS;
        while (Boolean.TRUE.equals(admin.queryForObject("select exists (" + pending() + ")", Boolean.class))) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(name + " does not come to an end");
            }
            Thread.sleep(IDLE_POLL_MILLIS);
        }
    }

    /** Forgets all messages. */
    final void clear() {
        admin.execute("truncate payment, delivered, " + tables());
        admin.execute("checkpoint");
    }

    /** The application that publishes. */
    abstract ConfigurableApplicationContext publisher();

    /** Joins the open transaction. */
    abstract void publish(Payment payment);

    /** Delivers from now on, what waits already, too. */
    abstract void start(int relays);

    /** Delivers no further. */
    abstract void stop();

    /** Publishes the messages 0 to count-1 without delivering them. */
    abstract void insertBacklog(int count);

    /** As if that many more messages had been delivered before. Does nothing where they are deleted then. */
    abstract void insertDelivered(int count);

    /** SQL that gives rows while there is something left to do. */
    abstract String pending();

    /** The library's tables of messages, with commas in between. */
    abstract String tables();

    @Override
    public abstract void close();
}
