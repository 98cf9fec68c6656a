package io.idempotency.sample;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The sample in a JVM of its own, so that it can be killed. */
final class SampleProcess implements AutoCloseable {

    private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

    private static final Pattern ADDRESS = Pattern.compile("The wallet is open at (http://localhost:\\d+)");

    private static final Pattern DATABASE = Pattern.compile("its data is in (jdbc:\\S+)");

    private final ChildJvm jvm;

    private SampleProcess(ChildJvm jvm) {
        this.jvm = jvm;
    }

    /** On an external database, with more properties as {@code --name=value}. */
    static SampleProcess start(TestDatabase database, Path output, String... properties) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--spring.profiles.active=postgres"));
        database.springProperties().forEach((name, value) -> arguments.add("--" + name + "=" + value));
        arguments.addAll(List.of(properties));
        return new SampleProcess(ChildJvm.startSample(Path.of(""), output, arguments));
    }

    /** On the database that it brings along, as somebody starts it who has read nothing. */
    static SampleProcess startAlone(Path workingDirectory, Path output) throws IOException {
        return new SampleProcess(ChildJvm.startSample(workingDirectory, output, List.of()));
    }

    /** Where it listens, once it does. */
    String awaitUrl() {
        return await().atMost(START_TIMEOUT).until(this::findUrl, url -> url != null);
    }

    private String findUrl() throws IOException {
        String text = output();
        assertThat(isAlive()).as(text).isTrue();
        return find(ADDRESS, text);
    }

    /** Where its data is, once it is open. */
    String databaseUrl() throws IOException {
        return find(DATABASE, output());
    }

    private static String find(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? found.group(1) : null;
    }

    String output() throws IOException {
        return jvm.text();
    }

    boolean isOpenOrOver() throws IOException {
        return !isAlive() || find(ADDRESS, output()) != null;
    }

    boolean isAlive() {
        return jvm.process().isAlive();
    }

    /** As Ctrl-C does. */
    void stop() {
        jvm.stop();
    }

    void kill() {
        jvm.close();
    }

    @Override
    public void close() {
        kill();
    }
}
