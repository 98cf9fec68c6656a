package io.idempotency.proof;

import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class PlaceTest {

    private static final String CLAIM = "io.idempotency.internal.postgres.request.PostgresClaimStore";

    /** What stands between the sender of a statement and the driver, innermost first. */
    @ParameterizedTest
    @CsvSource({
        "org.springframework.jdbc.core.JdbcTemplate, true",
        "net.ttddyy.dsproxy.proxy.StatementProxyLogic, true",
        "com.p6spy.engine.wrapper.PreparedStatementWrapper, true",
        "io.opentelemetry.instrumentation.jdbc.internal.OpenTelemetryPreparedStatement, true",
        "org.hibernate.internal.SessionImpl, false",
        "shop.Orders, false"
    })
    void aWrapperOfTheDataSourceDoesNotHideTheLibrary(String between, boolean isOfLibrary) {
        StackTraceElement[] trace = Stream.of("com.zaxxer.hikari.pool.ProxyStatement", between, CLAIM, "shop.Orders")
                .map(name -> new StackTraceElement(name, "method", "File.java", 1))
                .toArray(StackTraceElement[]::new);

        assertThat(Place.isOfLibrary(trace)).isEqualTo(isOfLibrary);
    }
}
