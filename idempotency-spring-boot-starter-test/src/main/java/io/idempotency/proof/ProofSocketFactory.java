package io.idempotency.proof;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.SocketFactory;

import org.jspecify.annotations.Nullable;

/**
 * Makes the driver's connections, so that they can be cut: before a message is sent, or when its answer has arrived and the driver
 * has not read it. The file {@code org/postgresql/driverconfig.properties} of this library names it, which the driver reads, so
 * that each connection of the tests' JVM can be cut, whatever pool it belongs to.
 */
public final class ProofSocketFactory extends SocketFactory {

    /** The driver sends and reads on the thread that executes the statement. */
    private static final ThreadLocal<@Nullable Cut> NEXT = new ThreadLocal<>();

    enum Cut {
        BEFORE_IT_IS_SENT,
        BEFORE_ITS_ANSWER_IS_READ
    }

    /** Creates the factory. */
    public ProofSocketFactory() {}

    /** Cuts the connection that this thread uses next. */
    static void cutNext(@Nullable Cut cut) {
        if (cut == null) {
            NEXT.remove();
        } else {
            NEXT.set(cut);
        }
    }

    /** Returns whether it has been cut; it is not if the URL names another socket factory. */
    static boolean isCut() {
        return NEXT.get() == null;
    }

    @Override
    public Socket createSocket() {
        return new CuttableSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw new SocketException("The driver connects sockets itself");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        throw new SocketException("The driver connects sockets itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw new SocketException("The driver connects sockets itself");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        throw new SocketException("The driver connects sockets itself");
    }

    private static final class CuttableSocket extends Socket {

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    cutIf(Cut.BEFORE_IT_IS_SENT);
                    out.write(bytes, offset, length);
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {

                /** The first bytes of the answer tell that the server is done. */
                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    int count = super.read(bytes, offset, length);
                    cutIf(Cut.BEFORE_ITS_ANSWER_IS_READ);
                    return count;
                }
            };
        }

        private void cutIf(Cut cut) throws IOException {
            if (NEXT.get() == cut) {
                NEXT.remove();
                close();
                throw new SocketException("Cut by the test");
            }
        }
    }
}
