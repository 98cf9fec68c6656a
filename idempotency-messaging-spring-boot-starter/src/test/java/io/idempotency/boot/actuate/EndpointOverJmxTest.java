package io.idempotency.boot.actuate;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The endpoint without HTTP, where nobody is authenticated. */
@PostgresTest
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EndpointOverJmxTest {

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

    private final TestDatabase database;

    private final StoredRows rows;

    @AutoClose
    ConfigurableApplicationContext application;

    EndpointOverJmxTest(TestDatabase database) {
        this.database = database;
        this.rows = new StoredRows(database.jdbc());
    }

    @BeforeAll
    void start() {
        application = JdbcTestApplication.start(
                database,
                new Class<?>[] {OverJmx.class},
                "spring.jmx.enabled=true",
                "spring.jmx.default-domain=" + database.name(),
                "spring.jmx.unique-names=true",
                "management.endpoints.jmx.exposure.include=idempotency",
                "management.endpoint.idempotency.access=unrestricted",
                "management.endpoint.idempotency.show-responses=when-authorized");
    }

    @AfterEach
    void clear() {
        rows.clear();
    }

    @Test
    void showsTheSameWithoutResponses() throws JMException {
        rows.succeeded("order-42", "{\"paid\": 7}");

        Map<?, ?> answer =
                (Map<?, ?>) invoke("section", Map.of("section", "record", "scope", "payments", "key", "order-42"));

        assertThat(answer.get("status")).isEqualTo("SUCCEEDED");
        assertThat(answer.toString()).doesNotContain("paid");
        assertThat(((Map<?, ?>) invoke("overview", Map.of())).get("sections")).isInstanceOf(List.class);
    }

    @Test
    void intervenesForWhoeverSaysWhoItIs() throws JMException {
        rows.abandoned("order-42");
        Map<String, String> release =
                Map.of("operation", "release", "scope", "payments", "key", "order-42", "reason", "late", "who", "ada");

        invoke("intervene", release);

        assertThat(rows.statusOf("order-42")).isEqualTo("failed_retryable");
        assertThatThrownBy(() -> invoke("intervene", release))
                .rootCause()
                .hasMessageEndingWith("it is not stale but FAILED_RETRYABLE.");
    }

    private Object invoke(String operation, Map<String, String> parameters) throws JMException {
        Set<ObjectName> names =
                server.queryNames(new ObjectName(database.name() + ":type=Endpoint,name=Idempotency,*"), null);
        ObjectName name = names.iterator().next();
        MBeanOperationInfo info = Arrays.stream(server.getMBeanInfo(name).getOperations())
                .filter(found -> found.getName().equals(operation))
                .findFirst()
                .orElseThrow();
        Object[] arguments = Arrays.stream(info.getSignature())
                .map(MBeanParameterInfo::getName)
                .map(parameters::get)
                .toArray();
        String[] types = Arrays.stream(info.getSignature())
                .map(MBeanParameterInfo::getType)
                .toArray(String[]::new);
        return server.invoke(name, operation, arguments, types);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        EndpointAutoConfiguration.class,
        JmxAutoConfiguration.class,
        JmxEndpointAutoConfiguration.class,
        IdempotencyEndpointAutoConfiguration.class
    })
    static class OverJmx {}
}
