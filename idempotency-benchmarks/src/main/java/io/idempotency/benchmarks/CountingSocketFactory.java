package io.idempotency.benchmarks;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.LongAdder;
import javax.net.SocketFactory;

/**
 * Sockets for the driver that count round trips: a read that follows a write is one, because the driver goes on only when
 * the answer is there. Counted where the driver waits, and not on the wire, so that a request in several packets, and
 * several statements that travel together, are one round trip.
 */
public final class CountingSocketFactory extends SocketFactory {

    private static final LongAdder ROUND_TRIPS = new LongAdder();

    /** Made by the driver, which is told the name of the class. */
    public CountingSocketFactory() {}

    /** Of all connections since the process began. */
    static long roundTrips() {
        return ROUND_TRIPS.sum();
    }

    @Override
    public Socket createSocket() {
        return new CountingSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException("The driver connects by itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException("The driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException("The driver connects by itself");
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException("The driver connects by itself");
    }

    private static final class CountingSocket extends Socket {

        /** A connection is used by one thread at a time, and the pool makes the next one see this. */
        private boolean asked;

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    count();
                    return in.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    count();
                    return in.read(bytes, offset, length);
                }
            };
        }

        private void count() {
            if (asked) {
                asked = false;
                ROUND_TRIPS.increment();
            }
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int value) throws IOException {
                    asked = true;
                    out.write(value);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    asked = true;
                    out.write(bytes, offset, length);
                }
            };
        }
    }
}
