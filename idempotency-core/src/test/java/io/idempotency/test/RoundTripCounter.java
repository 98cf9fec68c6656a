package io.idempotency.test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A proxy between driver and server that counts round trips on the wire: what network latency multiplies, and what no
 * counter above the driver sees. A round trip is a Sync, Query or FunctionCall message that the client sends while none
 * is unanswered: the driver sends {@code BEGIN} as a Query in front of the first statement, without waiting for its
 * answer, so that the two are one, although the server answers twice.
 *
 * <p>Pools that start while it is open do not test connections that nobody has used for a while, which is a round trip more on
 * a slow machine.
 */
public final class RoundTripCounter extends DatabaseProxy<AtomicInteger> {

    private static final String UNTESTED_MILLIS = "com.zaxxer.hikari.aliveBypassWindowMs";

    private static final int MAX_HELD_BYTES = 1 << 20;

    /** Sync, Query, FunctionCall: each is answered by a ReadyForQuery. */
    private static final String ANSWERED = "SQF";

    /** Parse, Bind, Describe, Execute, Close: more follows, for the server answers only a Sync (or a Flush). */
    private static final String UNFINISHED = "PBDEC";

    private static final String READY_FOR_QUERY = "Z";

    private final AtomicLong roundTrips = new AtomicLong();

    private RoundTripCounter(TestDatabase database) {
        super(database);
    }

    public static RoundTripCounter of(TestDatabase database) {
        RoundTripCounter counter = new RoundTripCounter(database);
        counter.listen();
        System.setProperty(UNTESTED_MILLIS, String.valueOf(Duration.ofHours(1).toMillis()));
        return counter;
    }

    @Override
    public void close() {
        System.clearProperty(UNTESTED_MILLIS);
        super.close();
    }

    /** A new unpooled connection by way of this proxy, which the caller closes. */
    public Connection connection() throws SQLException {
        return DriverManager.getConnection(
                jdbcUrl(), database().username(), database().password());
    }

    /** The round trips of this action, of all connections together; opening a connection may cost some, so open it first. */
    public long count(ConcurrentCalls.Action action) throws Exception {
        long before = roundTrips.get();
        action.run();
        return roundTrips.get() - before;
    }

    /** The number of questions that are not answered. */
    @Override
    AtomicInteger connected() {
        return new AtomicInteger();
    }

    /** Holds back what is not complete: the server must not answer before all that the client sends at once is seen. */
    @Override
    void passQuestions(InputStream client, OutputStream server, AtomicInteger unanswered) throws IOException {
        WireMessages messages = WireMessages.ofClient();
        ByteArrayOutputStream held = new ByteArrayOutputStream();
        byte[] buffer = new byte[65_536];
        int questions = 0;
        int length = client.read(buffer);
        while (length >= 0) {
            questions += messages.count(ANSWERED, buffer, length);
            held.write(buffer, 0, length);
            if (messages.endedWithOtherThan(UNFINISHED) || held.size() > MAX_HELD_BYTES) {
                // Counted before the server can answer, so that whoever has the answer finds it counted.
                if (questions > 0 && unanswered.getAndAdd(questions) == 0) {
                    roundTrips.incrementAndGet();
                }
                questions = 0;
                held.writeTo(server);
                held.reset();
            }
            length = client.read(buffer);
        }
    }

    @Override
    void passAnswers(InputStream server, OutputStream client, AtomicInteger unanswered) throws IOException {
        WireMessages messages = WireMessages.ofServer();
        byte[] buffer = new byte[65_536];
        int length = server.read(buffer);
        while (length >= 0) {
            int complete = messages.count(READY_FOR_QUERY, buffer, length);
            // The first one ends the start-up, which was no question.
            unanswered.updateAndGet(questions -> Math.max(0, questions - complete));
            client.write(buffer, 0, length);
            length = server.read(buffer);
        }
    }
}
