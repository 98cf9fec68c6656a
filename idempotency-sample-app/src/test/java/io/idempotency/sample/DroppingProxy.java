package io.idempotency.sample;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A proxy between clients and the sample that loses requests and answers. It hears every answer to its end before it drops
 * it, so that whatever the request was to do is done. One request a connection, on the loopback address, until closed.
 */
final class DroppingProxy implements AutoCloseable {

    private static final String END_OF_HEAD = "\r\n\r\n";

    private static final Pattern CONNECTION = Pattern.compile("(?i)\r\nconnection:[^\r]*");

    private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)");

    private static final Pattern KEY = Pattern.compile("(?i)\r\nidempotency-key: *([^\r]*)");

    private static final Pattern STATUS = Pattern.compile("^HTTP/1.1 (\\d+)");

    private final ServerSocket listener;

    private final int serverPort;

    private final Function<String, Drop> plan;

    private final Queue<Exchange> exchanges = new ConcurrentLinkedQueue<>();

    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

    /** What becomes of one request. */
    enum Drop {
        /** Nothing is lost. */
        NOTHING,

        /** The server never sees the request, and the client finds its connection closed. */
        REQUEST,

        /** The server has answered, and the client finds its connection closed. */
        ANSWER,

        /** The same after half of the answer. */
        HALF_OF_THE_ANSWER,

        /** The server has answered, and the client hears nothing until it gives up. */
        ANSWER_IN_SILENCE
    }

    /** One request, what became of it, and what the server has answered; 0 if it was not asked. */
    record Exchange(String key, Drop drop, int status, boolean replayed) {}

    /**
     * Starts it.
     *
     * @param plan what becomes of the next request with that key
     */
    DroppingProxy(int serverPort, Function<String, Drop> plan) throws IOException {
        this.serverPort = serverPort;
        this.plan = plan;
        this.listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start("accept", this::accept);
    }

    String url() {
        return "http://localhost:" + listener.getLocalPort();
    }

    List<Exchange> exchanges() {
        return List.copyOf(exchanges);
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void accept() throws IOException {
        while (true) {
            Socket client = listener.accept();
            sockets.add(client);
            start("connection", () -> serve(client));
        }
    }

    private void serve(Socket client) throws IOException {
        try (client) {
            byte[] request = readRequest(client.getInputStream());
            String key = find(KEY, request);
            Drop drop = plan.apply(key);
            byte[] answer = drop == Drop.REQUEST ? new byte[0] : ask(request);
            exchanges.add(new Exchange(key, drop, statusOf(answer), isReplay(answer)));
            deliver(answer, drop, client);
        } finally {
            sockets.remove(client);
        }
    }

    private static byte[] readRequest(InputStream client) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        while (!request.toString(StandardCharsets.ISO_8859_1).endsWith(END_OF_HEAD)) {
            int next = client.read();
            if (next < 0) {
                throw new IOException("The client has closed its connection");
            }
            request.write(next);
        }
        request.write(client.readNBytes(Integer.parseInt(find(CONTENT_LENGTH, request.toByteArray()))));
        return request.toByteArray();
    }

    /** Up to the end of the connection, which is the end of the answer. */
    private byte[] ask(byte[] request) throws IOException {
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort)) {
            String text = new String(request, StandardCharsets.ISO_8859_1);
            server.getOutputStream()
                    .write(CONNECTION
                            .matcher(text)
                            .replaceFirst("\r\nConnection: close")
                            .getBytes(StandardCharsets.ISO_8859_1));
            return server.getInputStream().readAllBytes();
        }
    }

    /** Where something is missing the connection is reset, so that no client takes its end for the end of the answer. */
    private static void deliver(byte[] answer, Drop drop, Socket client) throws IOException {
        OutputStream output = client.getOutputStream();
        switch (drop) {
            case NOTHING -> output.write(answer);
            case REQUEST, ANSWER -> client.setSoLinger(true, 0);
            case HALF_OF_THE_ANSWER -> {
                output.write(answer, 0, answer.length / 2);
                client.setSoLinger(true, 0);
            }
            case ANSWER_IN_SILENCE -> client.getInputStream().read();
        }
    }

    private static int statusOf(byte[] answer) {
        return answer.length == 0 ? 0 : Integer.parseInt(find(STATUS, answer));
    }

    private static boolean isReplay(byte[] answer) {
        return new String(answer, StandardCharsets.ISO_8859_1).contains("\r\nIdempotent-Replayed: true\r\n");
    }

    private static String find(Pattern pattern, byte[] message) {
        Matcher matcher = pattern.matcher(new String(message, StandardCharsets.ISO_8859_1));
        if (!matcher.find()) {
            throw new IllegalStateException("Nothing in the message is like " + pattern);
        }
        return matcher.group(1);
    }

    private static void start(String name, Task task) {
        Thread thread = new Thread(
                () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        // One of the sides has closed: the normal end of a connection and of this proxy.
                    }
                },
                "dropping-proxy-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    @FunctionalInterface
    private interface Task {
        void run() throws IOException;
    }
}
