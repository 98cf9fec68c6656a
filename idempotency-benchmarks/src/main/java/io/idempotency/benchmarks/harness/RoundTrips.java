package io.idempotency.benchmarks.harness;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.net.SocketFactory;

/**
 * Sockets for the driver that count its round trips, and delay each of them as a network does. A round trip begins with the
 * first write behind a read, because the driver reads only to wait for an answer: several statements that travel together
 * are one round trip.
 */
public final class RoundTrips extends SocketFactory {

    private static final LongAdder COUNT = new LongAdder();

    private static volatile Duration delay = Duration.ZERO;

    /** Called by the driver, which knows the name of the class. */
    public RoundTrips() {}

    /** Returns the round trips of all connections since the process began. */
    static long count() {
        return COUNT.sum();
    }

    /** Sets how much longer each round trip takes from now on. */
    static void delay(Duration each) {
        delay = each;
    }

    private static void begin() {
        COUNT.increment();
        long due = System.nanoTime() + delay.toNanos();
        for (long left = delay.toNanos(); left > 0; left = due - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public Socket createSocket() {
        return new CountedSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw connectsByItself();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw connectsByItself();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw connectsByItself();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw connectsByItself();
    }

    private static UnsupportedOperationException connectsByItself() {
        return new UnsupportedOperationException("The driver connects its sockets by itself");
    }

    private static final class CountedSocket extends Socket {

        /** A connection has one user at a time, and the pool makes the next one see what the last one wrote. */
        private boolean asking;

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    asking = false;
                    return in.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    asking = false;
                    return in.read(bytes, offset, length);
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int value) throws IOException {
                    ask();
                    out.write(value);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    ask();
                    out.write(bytes, offset, length);
                }
            };
        }

        private void ask() {
            if (!asking) {
                asking = true;
                begin();
            }
        }
    }
}
