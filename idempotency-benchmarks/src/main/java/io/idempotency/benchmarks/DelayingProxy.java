package io.idempotency.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * A network in between: everything arrives that much later, in both directions, and any amount can be on its way. A round
 * trip takes at least twice the delay; the timers of the operating system add to it.
 *
 * <p>A network takes no processor time of the hosts that it connects, and this one should take little. The delay is the
 * same for all, so that what came first is due first, and one thread delivers for all connections: when they are many, it
 * finds several chunks due each time it wakes. A ScheduledExecutorService, which would order them by their time, let 14 to 19%
 * fewer calls through with eight threads.
 */
final class DelayingProxy implements AutoCloseable {

    private static final int MAX_WAITING_CONNECTIONS = 200;

    private static final int CONNECT_TIMEOUT_MILLIS = 5_000;

    private static final int CHUNK_BYTES = 65_536;

    private final InetSocketAddress server;

    private volatile long delayNanos;

    private final ServerSocket listener;

    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    private final BlockingQueue<Chunk> onTheirWay = new LinkedBlockingQueue<>();

    private final Thread deliverer;

    private volatile boolean closed;

    DelayingProxy(InetSocketAddress server, Duration delay) throws IOException {
        this.server = server;
        this.delayNanos = delay.toNanos();
        this.listener = new ServerSocket(0, MAX_WAITING_CONNECTIONS, InetAddress.getLoopbackAddress());
        this.deliverer = start("deliver", this::deliver);
        start("accept", this::accept);
    }

    /** In each direction, for what is sent from now on, which overtakes nothing that is on its way. */
    void delay(Duration delay) {
        delayNanos = delay.toNanos();
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
        start("receive", () -> receive(client, remote));
        start("receive", () -> receive(remote, client));
        if (closed) {
            end(client, remote);
        }
    }

    /** Always reads on: the deliverer may wait for a side that does not read before it has sent all. */
    private void receive(Socket from, Socket to) throws IOException {
        byte[] buffer = new byte[CHUNK_BYTES];
        try {
            InputStream in = from.getInputStream();
            int length = in.read(buffer);
            while (length >= 0) {
                send(from, to, Arrays.copyOf(buffer, length));
                length = in.read(buffer);
            }
        } finally {
            send(from, to, Chunk.END);
        }
    }

    private void send(Socket from, Socket to, byte[] bytes) {
        onTheirWay.add(new Chunk(from, to, bytes, System.nanoTime() + delayNanos));
    }

    private void deliver() throws InterruptedException {
        while (!closed) {
            Chunk chunk = onTheirWay.take();
            awaitTime(chunk.due);
            try {
                deliver(chunk);
            } catch (IOException gone) {
                end(chunk.from, chunk.to);
            }
        }
    }

    /** Either direction's end ends the other. */
    private void deliver(Chunk chunk) throws IOException {
        if (chunk.bytes == Chunk.END) {
            end(chunk.from, chunk.to);
        } else {
            chunk.to.getOutputStream().write(chunk.bytes);
        }
    }

    private void awaitTime(long due) {
        long left = due - System.nanoTime();
        while (left > 0 && !closed) {
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
        deliverer.interrupt();
    }

    private static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception alreadyGone) {
            // Nothing is left to do with it.
        }
    }

    private static Thread start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException ended) {
                        // The other side has closed: the normal end of a connection and of this proxy.
                    } catch (InterruptedException closed) {
                        Thread.currentThread().interrupt();
                    }
                },
                "link-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Bytes from one side to the other, or the end of what comes from there. */
    private static final class Chunk {

        private static final byte[] END = {};

        private final Socket from;

        private final Socket to;

        private final byte[] bytes;

        private final long due;

        private Chunk(Socket from, Socket to, byte[] bytes, long due) {
            this.from = from;
            this.to = to;
            this.bytes = bytes;
            this.due = due;
        }
    }

    @FunctionalInterface
    private interface Task {

        void run() throws IOException, InterruptedException;
    }
}
