package io.idempotency.test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.zaxxer.hikari.HikariDataSource;

/**
 * A proxy between driver and server that counts round trips on the wire: what network latency multiplies, and what no
 * counter above the driver sees. A round trip is a Sync, Query or FunctionCall message that the client sends while none
 * is unanswered: the driver sends {@code BEGIN} as a Query in front of the first statement, without waiting for its
 * answer, so that the two are one, although the server answers twice. Listens on the loopback address, for a bounded number
 * of connections, until closed.
 */
public final class RoundTripCounter implements AutoCloseable {

    private static final int MAX_CONNECTIONS = 100;
    private static final int MAX_HELD_BYTES = 1 << 20;
    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

    /** Sync, Query, FunctionCall: each is answered by a ReadyForQuery. */
    private static final String ANSWERED = "SQF";

    /** Parse, Bind, Describe, Execute, Close: more follows, for the server answers only a Sync (or a Flush). */
    private static final String UNFINISHED = "PBDEC";

    private static final String READY_FOR_QUERY = "Z";

    private final TestDatabase database;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong roundTrips = new AtomicLong();
    private final AtomicLong answers = new AtomicLong();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile boolean closed;

    private RoundTripCounter(TestDatabase database) throws IOException {
        this.database = database;
        this.listener = new ServerSocket(0, MAX_CONNECTIONS, InetAddress.getLoopbackAddress());
        start("accept", this::accept);
    }

    public static RoundTripCounter of(TestDatabase database) {
        try {
            return new RoundTripCounter(database);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String host() {
        return listener.getInetAddress().getHostAddress();
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** The database's URL by way of this proxy; unencrypted, or there would be nothing to read. */
    public String jdbcUrl() {
        return "jdbc:postgresql://" + host() + ":" + port() + "/" + database.name()
                + "?sslmode=disable&gssEncMode=disable";
    }

    /** A new pool by way of this proxy, closed with the database. */
    public HikariDataSource dataSource(int size) {
        return database.dataSource(jdbcUrl(), size);
    }

    /** A new unpooled connection by way of this proxy, which the caller closes. */
    public Connection connection() throws SQLException {
        return DriverManager.getConnection(jdbcUrl(), database.username(), database.password());
    }

    /** Since the last {@link #reset()}; opening a connection may cost some, so open it first. */
    public long roundTrips() {
        return roundTrips.get();
    }

    /** Connections accepted so far. */
    public int connections() {
        return connections.get();
    }

    public void reset() {
        roundTrips.set(0);
    }

    /** The round trips of this action, of all connections together. */
    public long count(ConcurrentCalls.Action action) throws Exception {
        long before = roundTrips.get();
        action.run();
        return roundTrips.get() - before;
    }

    /** The answers to this action, of all connections together; at least as many as its round trips. */
    public long countAnswers(ConcurrentCalls.Action action) throws Exception {
        long before = answers.get();
        action.run();
        return answers.get() - before;
    }

    @Override
    public void close() {
        closed = true;
        closeQuietly(listener);
        sockets.forEach(RoundTripCounter::closeQuietly);
    }

    private void accept() throws IOException {
        while (!closed) {
            Socket client = listener.accept();
            if (sockets.size() >= 2 * MAX_CONNECTIONS) {
                closeQuietly(client);
                continue;
            }
            connections.incrementAndGet();
            sockets.add(client);
            if (closed) {
                // Closing the listener does not keep a waiting accept from returning one more.
                closeQuietly(client);
            }
            start("connection", () -> serve(client));
        }
    }

    private void serve(Socket client) throws IOException {
        Socket server = new Socket();
        sockets.add(server);
        try (client;
                server) {
            server.connect(
                    new InetSocketAddress(
                            database.server().host(), database.server().port()),
                    CONNECT_TIMEOUT_MILLIS);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            AtomicInteger unanswered = new AtomicInteger();
            start("answers", () -> {
                // Either direction's end ends the other.
                try (client;
                        server) {
                    passAnswers(server.getInputStream(), client.getOutputStream(), unanswered);
                }
            });
            passQuestions(client.getInputStream(), server.getOutputStream(), unanswered);
        } finally {
            sockets.remove(server);
            sockets.remove(client);
        }
    }

    /** Holds back what is not complete: the server must not answer before all that the client sends at once is seen. */
    private void passQuestions(InputStream client, OutputStream server, AtomicInteger unanswered) throws IOException {
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

    private void passAnswers(InputStream server, OutputStream client, AtomicInteger unanswered) throws IOException {
        WireMessages messages = WireMessages.ofServer();
        byte[] buffer = new byte[65_536];
        int length = server.read(buffer);
        while (length >= 0) {
            int complete = messages.count(READY_FOR_QUERY, buffer, length);
            answers.addAndGet(complete);
            // The first one ends the start-up, which was no question.
            unanswered.updateAndGet(questions -> Math.max(0, questions - complete));
            client.write(buffer, 0, length);
            length = server.read(buffer);
        }
    }

    private static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // The other side has closed: the normal end of a connection and of this proxy.
                    }
                },
                "round-trip-counter-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // Nothing is left to do with it.
        }
    }

    @FunctionalInterface
    private interface Task {
        void run() throws IOException;
    }
}
