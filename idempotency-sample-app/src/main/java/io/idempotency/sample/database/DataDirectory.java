package io.idempotency.sample.database;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The directory that keeps the data from one start to the next. One instance at a time has it, and a server that a killed
 * instance has left behind is ended before the next one starts.
 */
final class DataDirectory implements AutoCloseable {

    private static final String PREFIX = "postgresql-";

    /** Marks data whose server has started once: a kill before that leaves an initialization that is half done. */
    private static final String COMPLETE = "complete";

    private static final int SHOWN_LINES = 10;

    private final Path path;

    private final FileChannel lock;

    private DataDirectory(Path path, FileChannel lock) {
        this.path = path;
        this.lock = lock;
    }

    /**
     * Takes the directory, which need not exist, until this JVM ends or {@link #close()}.
     *
     * @throws DataDirectoryException if another instance has it
     */
    static DataDirectory take(Path directory) throws IOException {
        Path path = Files.createDirectories(directory.toAbsolutePath()).toRealPath();
        FileChannel lock = FileChannel.open(path.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        if (tryLock(lock) == null) {
            lock.close();
            throw new DataDirectoryException(
                    "Another instance of the sample has its data in " + path + ".",
                    "Stop it, or start this one on another directory: --sample.database.directory=... Two instances share a"
                            + " database with --spring.profiles.active=postgres and the same --spring.datasource.url.",
                    null);
        }
        return new DataDirectory(path, lock);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldByThisJvm) {
            return null;
        }
    }

    Path path() {
        return path;
    }

    /** Where the server writes its log. */
    Path log() {
        return path.resolve("postgresql.log");
    }

    /** Ends the servers of killed instances and tells where the data is, or is to be if there is none yet. */
    Path prepare() throws IOException, InterruptedException {
        Files.deleteIfExists(log());
        Path data = path.resolve(PREFIX + UUID.randomUUID());
        for (Path candidate : initialized()) {
            OrphanedServer.end(candidate);
            if (Files.exists(candidate.resolve(COMPLETE))) {
                data = candidate;
            }
        }
        return data;
    }

    private List<Path> initialized() throws IOException {
        try (Stream<Path> children = Files.list(path)) {
            return children.filter(child -> child.getFileName().toString().startsWith(PREFIX))
                    .filter(Files::isDirectory)
                    .sorted()
                    .toList();
        }
    }

    void markComplete(Path data) throws IOException {
        if (!Files.exists(data.resolve(COMPLETE))) {
            Files.createFile(data.resolve(COMPLETE));
        }
    }

    /** Tells whether the start is over without a server, which pg_ctl says in many ways. */
    boolean startFailed() throws IOException {
        return lines().stream()
                .anyMatch(line -> line.contains("pg_ctl: ") && !line.contains("another server might be running"));
    }

    DataDirectoryException unusable(@Nullable Throwable cause) throws IOException {
        List<String> lines = lines();
        return new DataDirectoryException(
                "PostgreSQL does not start on the data in " + path + ". The end of its log, " + log() + ":\n\n"
                        + String.join("\n", lines.subList(Math.max(0, lines.size() - SHOWN_LINES), lines.size())),
                "Mend what the log tells, or delete " + path
                        + " if its data is not needed any more: the next start begins"
                        + " with a new wallet. --sample.database.directory=... leaves it where it is and takes another"
                        + " directory.",
                cause);
    }

    private List<String> lines() throws IOException {
        return Files.exists(log()) ? Files.readString(log()).lines().toList() : List.of();
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
