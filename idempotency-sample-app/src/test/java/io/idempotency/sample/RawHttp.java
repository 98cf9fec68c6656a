package io.idempotency.sample;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A client that sends what no HTTP library would. It keeps its connection for as long as the server does. The character of
 * each byte is the one of ISO-8859-1.
 */
final class RawHttp implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 30_000;

    private final int port;

    private Socket socket = new Socket();

    private InputStream input = InputStream.nullInputStream();

    RawHttp(int port) {
        this.port = port;
        close();
    }

    /** What a server answers; a status of 0 is the end of the connection without an answer. */
    record RawAnswer(int status, boolean replayed, String body) {}

    RawAnswer pay(List<String> keyFields, String body) throws IOException {
        StringBuilder request = new StringBuilder("POST /payments HTTP/1.1\r\nHost: localhost\r\n");
        request.append("Content-Type: application/json\r\nContent-Length: ")
                .append(body.length())
                .append("\r\n");
        keyFields.forEach(
                field -> request.append("Idempotency-Key: ").append(field).append("\r\n"));
        return send(request.append("\r\n").append(body).toString());
    }

    private RawAnswer send(String request) throws IOException {
        if (socket.isClosed()) {
            socket = new Socket(InetAddress.getLoopbackAddress(), port);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            input = new BufferedInputStream(socket.getInputStream());
        }
        try {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return readAnswer();
        } catch (SocketException | EOFException closed) {
            close();
            return new RawAnswer(0, false, "");
        }
    }

    private RawAnswer readAnswer() throws IOException {
        String statusLine = readLine();
        int status = Integer.parseInt(statusLine.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        Map<String, String> headers = new HashMap<>();
        for (String line = readLine(); !line.isEmpty(); line = readLine()) {
            int colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        String body = headers.containsKey("transfer-encoding")
                ? readChunks()
                : read(Integer.parseInt(headers.getOrDefault("content-length", "0")));
        if ("close".equals(headers.get("connection"))) {
            close();
        }
        return new RawAnswer(status, "true".equals(headers.get("idempotent-replayed")), body);
    }

    private String readChunks() throws IOException {
        StringBuilder body = new StringBuilder();
        for (int length = readLength(); length > 0; length = readLength()) {
            body.append(read(length));
            readLine();
        }
        readLine();
        return body.toString();
    }

    private int readLength() throws IOException {
        return Integer.parseInt(readLine(), 16);
    }

    private String read(int length) throws IOException {
        byte[] bytes = input.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                throw new EOFException();
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }

    /** The next request opens a new connection. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing is left to do with it.
        }
    }
}
