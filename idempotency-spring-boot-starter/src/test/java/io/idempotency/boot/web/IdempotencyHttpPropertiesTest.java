package io.idempotency.boot.web;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

import io.idempotency.boot.testing.StartupReport;

import static org.assertj.core.api.Assertions.assertThat;

/** What an application can set over HTTP, what it gets if it does not, and what it is told if it sets nonsense. */
class IdempotencyHttpPropertiesTest {

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(IdempotencyWebAutoConfiguration.class));

    @Test
    void defaultsAreTheDocumentedOnes() {
        application.run(context -> assertThat(context.getBean(IdempotencyHttpProperties.class))
                .isEqualTo(new IdempotencyHttpProperties(
                        "Idempotency-Key",
                        false,
                        "Idempotent-Replayed",
                        List.of(),
                        Set.of(408, 425, 429, 502, 503, 504),
                        IdempotencyHttpProperties.Caller.PRINCIPAL,
                        false,
                        true,
                        "urn:problem-type:idempotency:",
                        null,
                        Map.of())));
    }

    @Test
    void codesOfFailuresMayBeNamesOfClassesAndContainUnderscores() {
        application
                .withPropertyValues(
                        "idempotency.http.failure-status.conflict=409",
                        "idempotency.http.failure-status[out_of_stock]=409",
                        "idempotency.http.failure-status[com.example.OutOfStock]=410",
                        "idempotency.http.documentation-url=https://example.com/idempotency")
                .run(context -> {
                    IdempotencyHttpProperties properties = context.getBean(IdempotencyHttpProperties.class);

                    assertThat(properties.failureStatus())
                            .containsOnly(
                                    Map.entry("conflict", 409),
                                    Map.entry("out_of_stock", 409),
                                    Map.entry("com.example.OutOfStock", 410));
                    assertThat(properties.documentationUrl()).isEqualTo(URI.create("https://example.com/idempotency"));
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    header-name=            | idempotency.http.header-name must be the name of a header, not ''
                    header-name=My Key      | idempotency.http.header-name must be the name of a header, not 'My Key'
                    replayed-header-name=a: | idempotency.http.replayed-header-name must be the name of a header, not 'a:'
                    replay-headers=X-A,b c  | idempotency.http.replay-headers must be the name of a header, not 'b c'
                    failure-status.a=399    | idempotency.http.failure-status of a must be 400 to 599, not 399
                    failure-status.a=600    | idempotency.http.failure-status of a must be 400 to 599, not 600
                    retry-status=503,200    | idempotency.http.retry-status must be 400 to 599, not 200
                    failure-status.a=gone   | Failed to bind properties under 'idempotency.http.failure-status.a'
                    problem-type-base=a b:  | idempotency.http.problem-type-base must be the start of a URI, not 'a b:'
                    documentation-url=a b   | Failed to bind properties under 'idempotency.http.documentation-url'
                    caller=everybody        | Failed to bind properties under 'idempotency.http.caller'
                    """)
    void nonsenseIsReported(String property, String report) {
        assertThat(reportOf(property)).contains(report);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Access-Control-Allow-Origin",
                "Age",
                "Authorization",
                "Connection",
                "Content-Length",
                "Date",
                "Keep-Alive",
                "Proxy-Authenticate",
                "Proxy-Connection",
                "Set-Cookie",
                "SET-COOKIE",
                "TE",
                "Trailer",
                "Transfer-Encoding",
                "Upgrade",
                "WWW-Authenticate"
            })
    void headersOfOneConnectionOneMomentOrOneClientAreNotReplayed(String header) {
        assertThat(reportOf("replay-headers=" + header))
                .contains("idempotency.http.replay-headers must not contain " + header + ": it belongs to");
    }

    private String reportOf(String property) {
        StringBuilder report = new StringBuilder();
        application
                .withPropertyValues("idempotency.http." + property)
                .run(context -> report.append(
                        StartupReport.of(context.getStartupFailure()).description()));
        return report.toString();
    }
}
