package io.idempotency.boot.actuate;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.messaging.operations.IdempotencyMessagingOperationsAutoConfiguration;
import io.idempotency.boot.testing.Answer;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.messaging.MessagingListeners;
import io.idempotency.observation.IdempotencyListeners;
import io.idempotency.test.TestDatabase;

import static io.idempotency.boot.JdbcTestApplication.and;

/** An application with Actuator over HTTP, and requests to it as an operator makes them. */
final class OperatedApplication implements AutoCloseable {

    private static final String ENDPOINT = "/actuator/idempotency/";

    private final HttpApplication application;

    private OperatedApplication(HttpApplication application) {
        this.application = application;
    }

    static OperatedApplication start(TestDatabase database, List<Class<?>> beans, String... properties) {
        List<Class<?>> all = new ArrayList<>(beans);
        all.add(Messages.class);
        return startWithoutMessages(database, all, properties);
    }

    /** Starts it as if the library showed nothing of messages. */
    static OperatedApplication startWithoutMessages(TestDatabase database, List<Class<?>> beans, String... properties) {
        List<Class<?>> all = new ArrayList<>(beans);
        all.add(Actuator.class);
        return new OperatedApplication(HttpApplication.start(
                database, all, and(properties, "management.endpoints.web.exposure.include=health,idempotency")));
    }

    <T> T bean(Class<T> type) {
        return application.bean(type);
    }

    /** Who tells of events, as the library does. */
    IdempotencyListeners events() {
        return application.bean("idempotencyListeners", IdempotencyListeners.class);
    }

    MessagingListeners messageEvents() {
        return application.bean("idempotencyMessagingListeners", MessagingListeners.class);
    }

    Answer overview() {
        return application.call("GET", "/actuator/idempotency").send();
    }

    Answer get(String section) {
        return application.call("GET", ENDPOINT + section).send();
    }

    Answer getAs(String user, String section) {
        return application.call("GET", ENDPOINT + section).as(user).send();
    }

    Answer post(String operation, @Nullable String json) {
        return application
                .post(ENDPOINT + operation)
                .json(json == null ? "" : json)
                .send();
    }

    Answer postAs(String user, String operation, String json) {
        return application.post(ENDPOINT + operation).as(user).json(json).send();
    }

    Answer health(String component) {
        return application.call("GET", "/actuator/health" + component).send();
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        application.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        EndpointAutoConfiguration.class,
        JacksonEndpointAutoConfiguration.class,
        WebEndpointAutoConfiguration.class,
        ManagementContextAutoConfiguration.class,
        ServletManagementContextAutoConfiguration.class,
        HealthContributorAutoConfiguration.class,
        HealthContributorRegistryAutoConfiguration.class,
        HealthEndpointAutoConfiguration.class,
        IdempotencyEndpointAutoConfiguration.class,
        IdempotencyHealthAutoConfiguration.class
    })
    static class Actuator {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyMessagingOperationsAutoConfiguration.class)
    static class Messages {}
}
