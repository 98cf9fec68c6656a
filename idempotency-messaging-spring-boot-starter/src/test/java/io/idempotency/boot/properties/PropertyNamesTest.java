package io.idempotency.boot.properties;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.Conventions;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

import io.idempotency.Idempotent;
import io.idempotency.boot.messaging.inbox.IdempotencyInboxAutoConfiguration;
import io.idempotency.boot.testing.StartupReport;
import io.idempotency.inbox.IdempotentReceiver;

import static org.assertj.core.api.Assertions.assertThat;

/** Properties with other names than the library's, and what a switched-off library says. */
@ExtendWith(OutputCaptureExtension.class)
class PropertyNamesTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(IdempotencyPropertiesAutoConfiguration.class));

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            idempotency.retenton           | Did you mean idempotency.retention?
            idempotency.enabeld            | Did you mean idempotency.enabled?
            idempotency.header-name        | Did you mean idempotency.http.header-name?
            idempotency.htpp.strict        | Did you mean idempotency.http.strict?
            idempotency.max-waitng         | Did you mean idempotency.max-waiting?
            idempotency.purge.batchsizes   | Did you mean idempotency.purge.batch-size?
            idempotency.outbox.rabbit.route.orders.exchange | Did you mean idempotency.outbox.rabbit.exchange?
            idempotency.retention.days     | Did you mean idempotency.retention?
            idempotency.storage            | idempotency.storage.maintenance-role, idempotency.storage.processed-messages.
            idempotency.resume             | Set one of idempotency.resume.enabled.
            idempotency.zzzzzzzzzzzzzzzzzz | from property source "test").
            idempotency.pipelined-commit   | from property source "test").
            """)
    void anUnknownPropertyIsRefused(String property, String suggestion) {
        for (boolean enabled : List.of(true, false)) {
            application
                    .withPropertyValues("idempotency.enabled=" + enabled, property + "=1")
                    .run(context -> {
                        StartupReport report = StartupReport.of(context.getStartupFailure());
                        assertThat(report.description())
                                .startsWith("There is no property " + property)
                                .endsWith(suggestion);
                        assertThat(report.action())
                                .isEqualTo(
                                        "Correct or remove what is misspelt. Properties of the application itself need"
                                                + " another prefix than idempotency.");
                    });
        }
    }

    @Test
    void allOfThemAreNamedWithTheirPlaces() throws Exception {
        List<PropertySource<?>> yaml = new YamlPropertySourceLoader()
                .load(
                        "application.yaml",
                        new ByteArrayResource("""
                        idempotency:
                          retenton: 7d
                          http:
                            stirct: true
                        """.getBytes(StandardCharsets.UTF_8), "application.yaml"));

        application
                .withInitializer(
                        context -> yaml.forEach(context.getEnvironment().getPropertySources()::addFirst))
                .run(context -> assertThat(
                                StartupReport.of(context.getStartupFailure()).description())
                        .contains(
                                "idempotency.retenton (",
                                "application.yaml",
                                " - 2:13). Did you mean idempotency.retention?",
                                "idempotency.http.stirct (",
                                " - 4:13). Did you mean idempotency.http.strict?"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idempotency.responseRetention=1d",
                "idempotency.RETENTION=8d",
                "idempotency.http.replay-headers[0]=X-A",
                "idempotency.http.failure-status[com.example.NotEnough]=402",
                "idempotency.inbox.retention-by-consumer.billing=8d",
                "idempotency.outbox.rabbit.routes.orders.exchange=e",
                "idempotency.http=",
                "idempotent.retenton=1",
                "idempotency-demo.retenton=1",
                "management.endpoint.idempotency.access=none"
            })
    void itsOwnPropertiesAreNotInWhateverFormTheyAre(String property) {
        application
                .withPropertyValues(property)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void environmentVariablesAndSystemPropertiesMayBeMeantForOthers() {
        application
                .withSystemProperties("idempotency.retenton=1")
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                "systemEnvironment",
                                new SystemEnvironmentPropertySource(
                                        "systemEnvironment",
                                        Map.of("IDEMPOTENCY_TEST_JDBC_URL", "1", "IDEMPOTENCY_RETENTON", "1"))))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void withoutTheMetadataNothingIsRefused() {
        new PropertyNames(Set.of(), Set.of())
                .check(List.of(new MapPropertySource("test", Map.of("idempotency.retention", "7d"))));
    }

    @Test
    void aSwitchedOffLibrarySaysHowManyBeansAreUnprotected(CapturedOutput output) {
        ApplicationContextRunner withBeans = application
                .withConfiguration(AutoConfigurations.of(IdempotencyInboxAutoConfiguration.class))
                .withBean("payments", Payments.class)
                .withBean("receiver", Receiver.class)
                .withBean("implementation", Api.class, Implementation::new)
                .withBean("other", PropertyNamesTest.class)
                .withInitializer(context -> registerProxy((GenericApplicationContext) context));

        withBeans.run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("unprotected");

        withBeans
                .withPropertyValues("idempotency.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getOut().lines().filter(line -> line.contains("unprotected")))
                .singleElement()
                .asString()
                .contains("WARN")
                .contains(
                        "idempotency.enabled is false: 4 beans with methods that have @Idempotent or @IdempotentReceiver"
                                + " run unprotected")
                .contains("payments, receiver, implementation, proxy");
    }

    /** As Spring's own infrastructure makes proxies: with the class of the target in the bean definition. */
    private static void registerProxy(GenericApplicationContext context) {
        RootBeanDefinition proxy = new RootBeanDefinition(Object.class, () -> {
            ProxyFactory factory = new ProxyFactory(new Implementation());
            factory.setInterfaces(Runnable.class);
            return factory.getProxy();
        });
        proxy.setAttribute(
                Conventions.getQualifiedAttributeName(AutoProxyUtils.class, "originalTargetClass"),
                Implementation.class);
        context.registerBeanDefinition("proxy", proxy);
    }

    @Test
    void aSwitchedOffLibraryIsSilentIfNothingIsAnnotated(CapturedOutput output) {
        application
                .withBean("other", PropertyNamesTest.class)
                .withPropertyValues("idempotency.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("unprotected");
    }

    static class Payments {

        @Idempotent(scope = "payments", key = "#key")
        public void pay(String key) {}

        @Idempotent(scope = "refunds", key = "#key")
        public void refund(String key) {}
    }

    static class Receiver {

        @IdempotentReceiver(consumer = "receiver", messageId = "#id")
        public void receive(String id) {}
    }

    interface Api {

        @Idempotent(scope = "api", key = "#key")
        void call(String key);
    }

    static class Implementation implements Api, Runnable {

        @Override
        public void call(String key) {}

        @Override
        public void run() {}
    }
}
