package io.idempotency.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import com.zaxxer.hikari.HikariDataSource;

/**
 * A proxy between driver and server that cuts one connection at exactly one point: when a statement is about to be sent,
 * or when the server has answered it and the client has not heard. Listens on the loopback address, for a bounded number
 * of connections, until closed.
 */
public final class CuttingProxy implements AutoCloseable {

    private static final int MAX_CONNECTIONS = 100;
    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

    /** Where a connection is cut. */
    public enum Point {
        /** The server never sees the statement. */
        BEFORE_IT_IS_SENT,

        /** The server has done it, and the client never learns. */
        BEFORE_ITS_ANSWER_IS_DELIVERED
    }

    private final TestDatabase database;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Cut> armed = new AtomicReference<>();
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile boolean closed;

    private record Cut(String statement, Point point) {}

    private CuttingProxy(TestDatabase database) throws IOException {
        this.database = database;
        this.listener = new ServerSocket(0, MAX_CONNECTIONS, InetAddress.getLoopbackAddress());
        start("accept", this::accept);
    }

    public static CuttingProxy of(TestDatabase database) {
        try {
            return new CuttingProxy(database);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The database's URL by way of this proxy; unencrypted and always with the text of statements, to be read here. */
    public String jdbcUrl() {
        return "jdbc:postgresql://" + listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort() + "/"
                + database.name() + "?sslmode=disable&gssEncMode=disable&prepareThreshold=0";
    }

    /** A new pool by way of this proxy, closed with the database. */
    public HikariDataSource dataSource(int size) {
        return database.dataSource(jdbcUrl(), size);
    }

    /** Cuts the next connection on which the client sends something that contains this text; once. */
    public void cutNext(String statement, Point point) {
        armed.set(new Cut(statement, point));
    }

    /** Connections cut so far. */
    public int cuts() {
        return cuts.get();
    }

    @Override
    public void close() {
        closed = true;
        closeQuietly(listener);
        sockets.forEach(CuttingProxy::closeQuietly);
    }

    private void accept() throws IOException {
        while (!closed) {
            Socket client = listener.accept();
            if (sockets.size() >= 2 * MAX_CONNECTIONS) {
                closeQuietly(client);
                continue;
            }
            sockets.add(client);
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
            AtomicReference<Boolean> silent = new AtomicReference<>(false);
            start("answers", () -> {
                try (client;
                        server) {
                    passAnswers(server.getInputStream(), client.getOutputStream(), silent);
                }
            });
            passQuestions(client.getInputStream(), server.getOutputStream(), silent);
        } finally {
            sockets.remove(server);
            sockets.remove(client);
        }
    }

    /** Returning closes both sides. */
    private void passQuestions(InputStream client, OutputStream server, AtomicReference<Boolean> silent)
            throws IOException {
        byte[] buffer = new byte[65_536];
        int length = client.read(buffer);
        while (length >= 0) {
            Cut cut = armed.get();
            if (cut != null
                    && new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains(cut.statement())
                    && armed.compareAndSet(cut, null)) {
                if (cut.point() == Point.BEFORE_IT_IS_SENT) {
                    cuts.incrementAndGet();
                    return;
                }
                silent.set(true);
            }
            server.write(buffer, 0, length);
            length = client.read(buffer);
        }
    }

    /** The first answer that must not be delivered tells that the server is done. */
    private void passAnswers(InputStream server, OutputStream client, AtomicReference<Boolean> silent)
            throws IOException {
        byte[] buffer = new byte[65_536];
        int length = server.read(buffer);
        while (length >= 0) {
            if (silent.get()) {
                cuts.incrementAndGet();
                return;
            }
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
                "cutting-proxy-" + name);
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
