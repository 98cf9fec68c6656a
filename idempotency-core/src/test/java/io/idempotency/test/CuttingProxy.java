package io.idempotency.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A proxy between driver and server that cuts one connection at exactly one point: when a statement is about to be sent,
 * within what is sent, or when the server has answered it and the client has not heard.
 */
public final class CuttingProxy extends DatabaseProxy<AtomicReference<CuttingProxy.Cut>> {

    /** Where a connection is cut. */
    public enum Point {
        /** The server never sees the statement. */
        BEFORE_IT_IS_SENT,
        /** The server has done it, and the client never learns. */
        BEFORE_ITS_ANSWER_IS_DELIVERED,

        /** The server gets nothing, and neither side hears of it. */
        IN_SILENCE
    }

    /** The message with which a client ends a connection, after all that it has sent before. */
    private static final byte[] TERMINATE = {'X', 0, 0, 0, 4};

    private static final int DELIVERY_SECONDS = 30;

    private final AtomicReference<Cut> armed = new AtomicReference<>();
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicInteger lengthOfLastCut = new AtomicInteger();
    private final Semaphore deliveries = new Semaphore(0);
    private final Semaphore ended = new Semaphore(0);
    private final Semaphore delivered = new Semaphore(0);

    /** Cuts within what is sent if it has a number of bytes, and at the point otherwise. */
    record Cut(String statement, Point point, int bytes, boolean isHeld) {}

    private CuttingProxy(TestDatabase database) {
        super(database);
    }

    public static CuttingProxy of(TestDatabase database) {
        CuttingProxy proxy = new CuttingProxy(database);
        proxy.listen();
        return proxy;
    }

    /** Always with the text of statements, to be read here. */
    @Override
    public String jdbcUrl() {
        return super.jdbcUrl() + "&prepareThreshold=0";
    }

    /** Cuts the next connection on which the client sends something that contains this text; once. */
    public void cutNext(String statement, Point point) {
        armed.set(new Cut(statement, point, 0, false));
    }

    /** Cuts it when the server has got so many bytes of what is sent, or all of it if that is less; once. */
    public void cutNextWithin(String statement, int bytes) {
        armed.set(new Cut(statement, Point.BEFORE_IT_IS_SENT, bytes, false));
    }

    /** Breaks the client's side of it. The server gets what is sent when {@link #deliver()} is called; once. */
    public void holdNext(String statement) {
        armed.set(new Cut(statement, Point.BEFORE_ITS_ANSWER_IS_DELIVERED, 0, true));
    }

    /** Delivers what was sent on a connection whose client's side was broken, and waits until the server has ended it. */
    public void deliver() throws InterruptedException {
        deliveries.release();
        if (!delivered.tryAcquire(DELIVERY_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("The server has not ended what was delivered");
        }
    }

    /** Returns the length of what was cut last. */
    public int lengthOfLastCut() {
        return lengthOfLastCut.get();
    }

    /** Connections cut so far. */
    public int cuts() {
        return cuts.get();
    }

    /** Has the cut after which the client hears no more answers. */
    @Override
    AtomicReference<Cut> connected() {
        return new AtomicReference<>();
    }

    @Override
    void passQuestions(InputStream client, OutputStream server, AtomicReference<Cut> silent) throws IOException {
        byte[] buffer = new byte[65_536];
        int length = client.read(buffer);
        while (length >= 0) {
            Cut cut = armed.get();
            if (cut != null
                    && new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains(cut.statement())
                    && armed.compareAndSet(cut, null)) {
                lengthOfLastCut.set(length);
                if (cut.point() == Point.IN_SILENCE) {
                    cuts.incrementAndGet();
                    client.transferTo(OutputStream.nullOutputStream());
                    return;
                }
                if (cut.point() == Point.BEFORE_IT_IS_SENT) {
                    server.write(buffer, 0, Math.min(cut.bytes(), length));
                    server.flush();
                    cuts.incrementAndGet();
                    return;
                }
                silent.set(cut);
                if (cut.isHeld()) {
                    client.close();
                    deliveries.acquireUninterruptibly();
                    server.write(buffer, 0, length);
                    server.write(TERMINATE);
                    ended.acquireUninterruptibly();
                    delivered.release();
                    return;
                }
            }
            server.write(buffer, 0, length);
            length = client.read(buffer);
        }
    }

    /** The first answer that must not be delivered tells that the server is done, unless it only gets the statement now. */
    @Override
    void passAnswers(InputStream server, OutputStream client, AtomicReference<Cut> silent) throws IOException {
        byte[] buffer = new byte[65_536];
        int length = server.read(buffer);
        while (length >= 0) {
            Cut cut = silent.get();
            if (cut == null) {
                client.write(buffer, 0, length);
            } else if (!cut.isHeld()) {
                cuts.incrementAndGet();
                return;
            }
            length = server.read(buffer);
        }
        if (silent.get() != null) {
            cuts.incrementAndGet();
            ended.release();
        }
    }
}
