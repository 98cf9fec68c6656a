package io.idempotency.sample.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The PostgreSQL server of an instance that was killed. It goes on without the instance until somebody ends it. */
final class OrphanedServer {

    private static final Logger logger = LoggerFactory.getLogger(OrphanedServer.class);

    private static final int SECONDS_TO_END = 10;

    private OrphanedServer() {}

    /**
     * Ends the server that runs on this data, if there is one. No other program is ended: the process id that the server
     * noted may be that of another one by now. Of a server on other data nothing is touched here: PostgreSQL itself then
     * refuses to start.
     */
    static void end(Path data) throws IOException, InterruptedException {
        Path noted = data.resolve("postmaster.pid");
        Optional<ProcessHandle> process = Files.exists(noted) ? find(noted) : Optional.empty();
        Optional<String> program = process.flatMap(handle -> handle.info().command());
        if (process.isEmpty() || program.isEmpty()) {
            return;
        }
        if (!Path.of(program.get()).getFileName().toString().startsWith("postgres")) {
            // PostgreSQL takes each running process for a server, and would not start.
            Files.delete(noted);
            return;
        }
        List<String> arguments = List.of(process.get().info().arguments().orElse(new String[0]));
        if (arguments.contains(data.toString())) {
            logger.info(
                    "Process {} is the PostgreSQL server of an instance that was killed; it is ended",
                    process.get().pid());
            end(process.get());
        }
    }

    private static Optional<ProcessHandle> find(Path noted) throws IOException {
        try {
            String firstLine = Files.readString(noted).lines().findFirst().orElse("");
            return ProcessHandle.of(Long.parseLong(firstLine.strip()));
        } catch (NumberFormatException halfWritten) {
            return Optional.empty();
        }
    }

    /** It waits for its clients first, which are gone, unless somebody looks at the data with another one. */
    private static void end(ProcessHandle server) throws InterruptedException {
        server.destroy();
        if (!hasEnded(server)) {
            server.destroyForcibly();
            hasEnded(server);
        }
    }

    private static boolean hasEnded(ProcessHandle server) throws InterruptedException {
        try {
            server.onExit().get(SECONDS_TO_END, TimeUnit.SECONDS);
            return true;
        } catch (TimeoutException stillThere) {
            return false;
        } catch (ExecutionException unexpected) {
            throw new IllegalStateException(unexpected);
        }
    }
}
