package io.idempotency.boot.interleaving;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Keeps how each schedule has ended, one line a schedule, if {@code -Didempotency.test.outcomes} names a directory. The sorted lines of
 * two versions are compared before a redesign is trusted: no check of a scenario tells that an answer has become another one.
 */
final class OutcomeFiles {

    private static final String DIRECTORY = System.getProperty("idempotency.test.outcomes");

    private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** The length of a wait, and what is left of a lease. */
    private static final Pattern MILLISECONDS = Pattern.compile("\\d+ ms");

    private OutcomeFiles() {}

    static void add(String explorer, String key, Run run) {
        if (DIRECTORY == null) {
            return;
        }
        String actors = run.actors().stream().map(Actor::toString).collect(Collectors.joining("; "));
        String outcome = UUID.matcher(actors.replace(key, "KEY")).replaceAll("UUID");
        String line = run.schedule() + " | " + MILLISECONDS.matcher(outcome).replaceAll("N ms");
        try {
            Path directory = Files.createDirectories(Path.of(DIRECTORY));
            Files.write(
                    directory.resolve(explorer + ".txt"),
                    List.of(line),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
