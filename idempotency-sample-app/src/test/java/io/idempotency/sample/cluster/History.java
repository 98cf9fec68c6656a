package io.idempotency.sample.cluster;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * All attempts of all clients. Each is a line of JSON in a file before it is sent, and a second one when it has ended, so
 * that the file tells of everything that may have had an effect, whoever dies.
 */
final class History implements AutoCloseable {

    private static final ObjectMapper JSON = JsonMapper.shared();

    private final Map<Long, Attempt> attempts = new TreeMap<>();

    private final BufferedWriter file;

    History(Path path) throws IOException {
        file = Files.newBufferedWriter(path);
    }

    /** To be called before anything is sent. */
    synchronized Attempt begin(int client, Command command, String instance) {
        Attempt attempt = new Attempt(
                attempts.size(),
                client,
                command,
                instance,
                Instant.now(),
                null,
                Outcome.unknown("The attempt has not ended."),
                false);
        keep(attempt);
        return attempt;
    }

    synchronized void end(Attempt attempt, Answer answer) {
        keep(attempt.met(answer, Instant.now()));
    }

    private void keep(Attempt attempt) {
        attempts.put(attempt.number(), attempt);
        try {
            file.write(JSON.writeValueAsString(attempt));
            file.newLine();
            file.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    synchronized List<Attempt> attempts() {
        return new ArrayList<>(attempts.values());
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
