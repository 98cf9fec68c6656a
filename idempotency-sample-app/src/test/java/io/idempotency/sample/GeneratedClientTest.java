package io.idempotency.sample;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import io.idempotency.sample.DroppingProxy.Drop;
import io.idempotency.sample.DroppingProxy.Exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A client that openapi-generator makes of the sample's document, over a network that loses requests and answers. */
@Tag("full")
class GeneratedClientTest {

    private static final Path GENERATOR = Path.of("target", "openapi-generator-cli.jar");

    /** An application that uses the client: it pays with one key until it is answered. */
    private static final String APPLICATION = """
            import java.time.Duration;
            import java.util.function.BinaryOperator;

            import org.openapitools.client.ApiClient;
            import org.openapitools.client.ApiException;
            import org.openapitools.client.api.PaymentControllerApi;
            import org.openapitools.client.model.PaymentRequest;

            public class Payer implements BinaryOperator<String> {

                @Override
                public String apply(String url, String key) {
                    ApiClient client = new ApiClient();
                    client.updateBaseUri(url);
                    client.setReadTimeout(Duration.ofSeconds(1));
                    PaymentRequest request = new PaymentRequest()
                            .accountId("alice")
                            .amountCents(1L)
                            .currency(PaymentRequest.CurrencyEnum.EUR)
                            .reference(key);
                    ApiException failure = null;
                    for (int attempt = 0; attempt < 10; attempt++) {
                        try {
                            return new PaymentControllerApi(client).pay(key, request).getPaymentId().toString();
                        } catch (ApiException lost) {
                            failure = lost;
                        }
                    }
                    throw new IllegalStateException(failure);
                }
            }
            """;

    private static RunningSample sample;

    @TempDir
    private static Path directory;

    private final Set<String> asked = new HashSet<>();

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(Files.exists(GENERATOR), "The generator is missing; -Pfull copies it");
        sample = RunningSample.start();
        Files.writeString(document(), sample.wallet().get("/v3/api-docs").body());
    }

    @AfterAll
    static void stop() {
        if (sample != null) {
            sample.close();
        }
    }

    private static Path document() {
        return directory.resolve("document.json");
    }

    @Test
    void theDocumentHasNoIssues() throws Exception {
        assertThat(generator("validate", "--recommend", "-i", document().toString()))
                .endsWith("No validation issues detected.");
    }

    @Test
    void aPaymentIsMadeOnceWhateverIsLost() throws Exception {
        generator(
                "generate",
                "--generator-name=java",
                "--library=native",
                "--input-spec=" + document(),
                "--output=" + directory.resolve("client"),
                "--additional-properties=useJackson3=true,useJakartaEe=true,useJspecify=true,openApiNullable=false",
                "--global-property=apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false");
        Path classes = compile();

        try (URLClassLoader loader =
                        new URLClassLoader(new URL[] {classes.toUri().toURL()});
                DroppingProxy proxy = new DroppingProxy(sample.port(), this::nextDrop)) {
            BinaryOperator<String> payer = payer(loader);
            for (Drop lost : Drop.values()) {
                String payment = payer.apply(proxy.url(), lost.name());

                assertThat(sample.texts("select payment_id::text from payment where reference = ?", lost.name()))
                        .containsExactly(payment);
            }

            assertThat(proxy.exchanges()).extracting(Exchange::drop).contains(Drop.values());
            assertThat(proxy.exchanges()).filteredOn(Exchange::replayed).hasSize(3);
        }
    }

    /** Loses the first request with a key, or its answer, in the way that the key names. */
    private Drop nextDrop(String key) {
        return asked.add(key) ? Drop.valueOf(key) : Drop.NOTHING;
    }

    @SuppressWarnings("unchecked")
    private static BinaryOperator<String> payer(ClassLoader loader) throws ReflectiveOperationException {
        return (BinaryOperator<String>)
                loader.loadClass("Payer").getConstructor().newInstance();
    }

    /** Compiles the client and its application, which need nothing that the sample does not have. */
    private static Path compile() throws IOException {
        Path application = Files.writeString(directory.resolve("Payer.java"), APPLICATION);
        Path classes = Files.createDirectory(directory.resolve("classes"));
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none", "-nowarn", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")));
        arguments.add(application.toString());
        try (Stream<Path> files = Files.walk(directory.resolve("client"))) {
            files.map(Path::toString).filter(file -> file.endsWith(".java")).forEach(arguments::add);
        }
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, errors, arguments.toArray(String[]::new));
        assertThat(result).as(errors.toString(StandardCharsets.UTF_8)).isZero();
        return classes;
    }

    /** Runs the generator in a JVM of its own, because it brings other versions of the sample's libraries. */
    private static String generator(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-jar", GENERATOR.toString()));
        command.addAll(List.of(arguments));
        Path output = directory.resolve("output.txt");
        int result = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        String text = Files.readString(output).strip();
        assertThat(result).as(text).isZero();
        return text;
    }
}
