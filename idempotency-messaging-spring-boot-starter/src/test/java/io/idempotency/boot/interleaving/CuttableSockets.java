package io.idempotency.boot.interleaving;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.SocketFactory;

import io.idempotency.boot.interleaving.Fault.Proceeding;

/** Sockets of the driver, which the thread that uses one can cut below the driver. The driver makes the factory by its name. */
public final class CuttableSockets extends SocketFactory {

    /** For the URL of a database. */
    static final String URL_PARAMETER = "socketFactory=" + CuttableSockets.class.getName();

    private static final ThreadLocal<Cut> ARMED = new ThreadLocal<>();

    enum Cut {
        BEFORE_THE_MESSAGE,
        WITHIN_THE_MESSAGE,
        BEFORE_THE_ANSWER
    }

    /** Cuts the connection that this thread uses next. */
    static Object cutting(Cut cut, Proceeding proceeding) throws Throwable {
        ARMED.set(cut);
        try {
            return proceeding.proceed();
        } finally {
            ARMED.remove();
        }
    }

    @Override
    public Socket createSocket() {
        return new CuttableSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    private static final class CuttableSocket extends Socket {

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int b) throws IOException {
                    write(new byte[] {(byte) b}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    Cut cut = ARMED.get();
                    if (cut == Cut.BEFORE_THE_MESSAGE) {
                        throw cut("nothing was sent");
                    }
                    if (cut != Cut.WITHIN_THE_MESSAGE) {
                        out.write(bytes, offset, length);
                    }
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    Cut cut = ARMED.get();
                    if (cut == Cut.WITHIN_THE_MESSAGE) {
                        throw cut("the message was lost");
                    }
                    int read = in.read(bytes, offset, length);
                    if (cut == Cut.BEFORE_THE_ANSWER) {
                        throw cut("the answer was lost");
                    }
                    return read;
                }
            };
        }

        private SocketException cut(String reason) throws IOException {
            close();
            return new SocketException(reason);
        }
    }
}
