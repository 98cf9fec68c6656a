package io.idempotency.sample.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A node of a Citus cluster, which a program of somebody else kills and starts. */
final class CitusNode implements DatabaseNode {

    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private static final String PREPARED = """
            select gid, (extract(epoch from clock_timestamp() - prepared) * 1000)::bigint as milliseconds
            from pg_prepared_xacts
            where database = current_database()""";

    private final int number;

    private final String program;

    private final Path log;

    private final JdbcTemplate jdbc;

    CitusNode(int number, String program, Path directory, DataSource dataSource) {
        this.number = number;
        this.program = program;
        this.log = directory.resolve("node-" + number + ".log");
        this.jdbc = new JdbcTemplate(dataSource);
    }

    String name() {
        return "node " + number;
    }

    /** How long ago each was prepared, by its name: Citus has not told this node yet whether to commit it. */
    Map<String, Duration> preparedTransactions() {
        return jdbc.queryForList(PREPARED).stream()
                .collect(toMap(
                        row -> (String) row.get("gid"), row -> Duration.ofMillis((long) row.get("milliseconds"))));
    }

    @Override
    public void stopImmediately() {
        assertThat(run("kill")).as("%s", log).isTrue();
    }

    /** The processes of the one that was killed may still be there, and it refuses to start beside them. */
    @Override
    public void startAgain() {
        await().atMost(TIMEOUT).until(() -> run("node"));
    }

    private boolean run(String action) {
        try {
            // A file and not a pipe: the started server would keep the pipe open.
            Process process = new ProcessBuilder(program, action, Integer.toString(number))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            return process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while " + name() + " was told to " + action, e);
        }
    }
}
