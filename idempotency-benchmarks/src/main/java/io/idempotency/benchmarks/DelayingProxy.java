package io.idempotency.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A network in between: everything arrives that much later, in both directions, and as much as before can be on its way. A
 * round trip takes at least twice the delay; the timers of the operating system add to it.
 */
final class DelayingProxy implements AutoCloseable {

    private static final int MAX_WAITING_CONNECTIONS = 200;

    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

    private static final int CHUNK_BYTES = 65_536;

    private static final int CHUNKS_ON_THEIR_WAY = 1_024;

    private final InetSocketAddress server;

    private final long delayNanos;

    private final ServerSocket listener;

    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private volatile boolean closed;

    DelayingProxy(InetSocketAddress server, Duration delay) throws IOException {
        this.server = server;
        this.delayNanos = delay.toNanos();
        this.listener = new ServerSocket(0, MAX_WAITING_CONNECTIONS, InetAddress.getLoopbackAddress());
        start("accept", this::accept);
    }

    InetSocketAddress address() {
        return new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
    }

    private void accept() throws IOException {
        while (!closed) {
            Socket client = listener.accept();
            sockets.add(client);
            start("connection", () -> serve(client));
        }
    }

    private void serve(Socket client) throws IOException {
        Socket remote = new Socket();
        sockets.add(remote);
        try {
            remote.connect(new InetSocketAddress(server.getHostString(), server.getPort()), CONNECT_TIMEOUT_MILLIS);
            remote.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
        } catch (IOException unreachable) {
            end(client, remote);
            throw unreachable;
        }
        pass(client, remote);
        pass(remote, client);
        if (closed) {
            end(client, remote);
        }
    }

    /** One thread takes the time when something comes, another one lets it go when that is long enough ago. */
    private void pass(Socket from, Socket to) throws IOException {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        BlockingQueue<Chunk> onTheirWay = new ArrayBlockingQueue<>(CHUNKS_ON_THEIR_WAY);
        start("in", () -> {
            byte[] buffer = new byte[CHUNK_BYTES];
            int length = 0;
            try {
                while (length >= 0) {
                    length = in.read(buffer);
                    onTheirWay.put(new Chunk(
                            System.nanoTime() + delayNanos, Arrays.copyOf(buffer, Math.max(0, length)), length < 0));
                }
            } catch (IOException gone) {
                onTheirWay.put(new Chunk(System.nanoTime(), new byte[0], true));
            }
        });
        start("out", () -> {
            try {
                Chunk chunk = onTheirWay.take();
                while (!chunk.isEnd) {
                    awaitTime(chunk.due);
                    out.write(chunk.bytes);
                    chunk = onTheirWay.take();
                }
            } finally {
                // Either direction's end ends the other.
                end(from, to);
            }
        });
    }

    private static void awaitTime(long due) {
        long left = due - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = due - System.nanoTime();
        }
    }

    private void end(Socket... ended) {
        for (Socket socket : ended) {
            sockets.remove(socket);
            closeQuietly(socket);
        }
    }

    @Override
    public void close() {
        closed = true;
        closeQuietly(listener);
        sockets.forEach(DelayingProxy::closeQuietly);
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception alreadyGone) {
            // Nothing is left to do with it.
        }
    }

    private static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException ended) {
                        // The other side has closed: the normal end of a connection and of this proxy.
                    } catch (InterruptedException nobodyInterrupts) {
                        Thread.currentThread().interrupt();
                    }
                },
                "link-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private static final class Chunk {

        private final long due;

        private final byte[] bytes;

        private final boolean isEnd;

        private Chunk(long due, byte[] bytes, boolean isEnd) {
            this.due = due;
            this.bytes = bytes;
            this.isEnd = isEnd;
        }
    }

    @FunctionalInterface
    private interface Task {

        void run() throws IOException, InterruptedException;
    }
}
