package io.idempotency.boot.actuate;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import com.jayway.jsonpath.JsonPath;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.HttpEncodingAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.actuate.web.ServletManagementContextAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.observation.IdempotencyListeners;
import io.idempotency.test.TestDatabase;

/** An application with Actuator over HTTP, and requests to it as an operator makes them. */
final class OperatedApplication implements AutoCloseable {

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final TestDatabase database;

    private final ConfigurableApplicationContext context;

    private OperatedApplication(TestDatabase database, ConfigurableApplicationContext context) {
        this.database = database;
        this.context = context;
    }

    static OperatedApplication start(TestDatabase database, List<Class<?>> beans, String... properties) {
        List<Class<?>> sources = new ArrayList<>(beans);
        sources.add(JdbcTestApplication.class);
        sources.add(Actuator.class);
        return new OperatedApplication(
                database,
                new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
                        .web(WebApplicationType.SERVLET)
                        .bannerMode(Banner.Mode.OFF)
                        .logStartupInfo(false)
                        .properties(database.springProperties())
                        .properties("server.port=0", "management.endpoints.web.exposure.include=health,idempotency")
                        .properties(properties)
                        .run());
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Who tells of events, as the library does. */
    IdempotencyListeners events() {
        return context.getBean("idempotencyListeners", IdempotencyListeners.class);
    }

    JdbcTemplate jdbc() {
        return database.jdbc();
    }

    Answer overview() {
        return send(null, "GET", "/actuator/idempotency", null);
    }

    Answer get(String section) {
        return send(null, "GET", "/actuator/idempotency/" + section, null);
    }

    Answer getAs(String user, String section) {
        return send(user, "GET", "/actuator/idempotency/" + section, null);
    }

    Answer post(String operation, String json) {
        return send(null, "POST", "/actuator/idempotency/" + operation, json);
    }

    Answer postAs(String user, String operation, String json) {
        return send(user, "POST", "/actuator/idempotency/" + operation, json);
    }

    Answer health(String component) {
        return send(null, "GET", "/actuator/health" + component, null);
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private Answer send(@Nullable String user, String method, String path, @Nullable String json) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + path))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json");
        if (user != null) {
            request.header(
                    "Authorization",
                    "Basic "
                            + Base64.getEncoder()
                                    .encodeToString((user + ":password").getBytes(StandardCharsets.US_ASCII)));
        }
        try {
            HttpResponse<String> response = CLIENT.send(
                    request.method(method, json == null ? BodyPublishers.noBody() : BodyPublishers.ofString(json))
                            .build(),
                    BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopped);
        }
    }

    @Override
    public void close() {
        context.close();
    }

    record Answer(int status, String body) {

        String text(String path) {
            return JsonPath.<String>read(body, path);
        }

        int number(String path) {
            return JsonPath.<Integer>read(body, path);
        }

        boolean flag(String path) {
            return JsonPath.<Boolean>read(body, path);
        }

        List<String> texts(String path) {
            return JsonPath.<List<String>>read(body, path);
        }

        List<Integer> numbers(String path) {
            return JsonPath.<List<Integer>>read(body, path);
        }

        List<Object> all(String path) {
            return JsonPath.<List<Object>>read(body, path);
        }

        String error() {
            return text("$.error");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DispatcherServletAutoConfiguration.class,
        ErrorMvcAutoConfiguration.class,
        HttpEncodingAutoConfiguration.class,
        HttpMessageConvertersAutoConfiguration.class,
        TomcatServletWebServerAutoConfiguration.class,
        WebMvcAutoConfiguration.class,
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
}
