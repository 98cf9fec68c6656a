package io.idempotency.boot.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.idempotency.test.TestDatabase;

/** A JVM of its own, with the class path of the tests and a database in its environment. */
public final class OtherJvm {

    private OtherJvm() {}

    public static ProcessBuilder of(TestDatabase database, Class<?> mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                TestDatabase.POOL_OPTION,
                "-cp",
                System.getProperty("java.class.path"),
                mainClass.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        database.springProperties()
                .forEach((name, value) ->
                        builder.environment().put(name.toUpperCase(Locale.ROOT).replace('.', '_'), value.toString()));
        return builder;
    }
}
