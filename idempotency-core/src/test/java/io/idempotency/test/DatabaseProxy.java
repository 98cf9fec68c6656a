package io.idempotency.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import com.zaxxer.hikari.HikariDataSource;

/**
 * A proxy between driver and server. Listens on the loopback address, for a bounded number of connections, until closed.
 *
 * @param <S> what the two directions of a connection tell each other
 */
abstract class DatabaseProxy<S> implements AutoCloseable {

    private static final int MAX_CONNECTIONS = 100;
    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

    private final TestDatabase database;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    DatabaseProxy(TestDatabase database) {
        this.database = database;
        try {
            this.listener = new ServerSocket(0, MAX_CONNECTIONS, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The state of a new connection. */
    abstract S connected();

    /** Returning closes both sides. */
    abstract void passQuestions(InputStream client, OutputStream server, S state) throws IOException;

    /** Returning closes both sides. */
    abstract void passAnswers(InputStream server, OutputStream client, S state) throws IOException;

    final TestDatabase database() {
        return database;
    }

    /** The database's URL by way of this proxy; unencrypted, or there would be nothing to read. */
    public String jdbcUrl() {
        return "jdbc:postgresql://" + listener.getInetAddress().getHostAddress() + ":" + listener.getLocalPort() + "/"
                + database.name() + "?sslmode=disable&gssEncMode=disable";
    }

    /** A new pool by way of this proxy, closed with the database. */
    public final HikariDataSource dataSource(int size) {
        return database.dataSource(jdbcUrl(), size);
    }

    @Override
    public void close() {
        closed = true;
        closeQuietly(listener);
        sockets.forEach(DatabaseProxy::closeQuietly);
    }

    /** Begins, once the proxy is constructed. */
    final void listen() {
        start("accept", this::accept);
    }

    private void accept() throws IOException {
        while (!closed) {
            Socket client = listener.accept();
            if (sockets.size() >= 2 * MAX_CONNECTIONS) {
                closeQuietly(client);
                continue;
            }
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
            S state = connected();
            start("answers", () -> {
                // Either direction's end ends the other.
                try (client;
                        server) {
                    passAnswers(server.getInputStream(), client.getOutputStream(), state);
                }
            });
            passQuestions(client.getInputStream(), server.getOutputStream(), state);
        } finally {
            sockets.remove(server);
            sockets.remove(client);
        }
    }

    private void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // The other side has closed: the normal end of a connection and of this proxy.
                    }
                },
                getClass().getSimpleName() + "-" + name);
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
