package io.idempotency.boot.testing;

import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.TestDatabase;

/** An application with Spring MVC that really listens, and requests to it. */
public final class HttpApplication implements AutoCloseable {

    private final TestDatabase database;

    private final ConfigurableApplicationContext context;

    private HttpApplication(TestDatabase database, ConfigurableApplicationContext context) {
        this.database = database;
        this.context = context;
    }

    public static HttpApplication start(TestDatabase database, List<Class<?>> beans, String... properties) {
        List<Class<?>> sources = new ArrayList<>(beans);
        sources.add(JdbcTestApplication.class);
        sources.add(SpringMvc.class);
        return new HttpApplication(
                database,
                new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
                        .web(WebApplicationType.SERVLET)
                        .bannerMode(Banner.Mode.OFF)
                        .logStartupInfo(false)
                        .properties(database.springProperties())
                        .properties("server.port=0", "idempotency.verify-responses=true")
                        .properties(properties)
                        .run());
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    public JdbcTemplate jdbc() {
        return database.jdbc();
    }

    public long requests() {
        return jdbc().queryForObject("select count(*) from idempotency.idempotency_request", Long.class);
    }

    public void forgetRequests() {
        jdbc().execute("truncate idempotency.idempotency_request");
    }

    public void alterRequests(String assignments) {
        jdbc().update("update idempotency.idempotency_request set " + assignments);
    }

    public HttpCall post(String path) {
        return call("POST", path);
    }

    public HttpCall call(String method, String path) {
        return new HttpCall(url(), method, path);
    }

    public String url() {
        return "http://localhost:" + context.getEnvironment().getProperty("local.server.port");
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration
    public static class SpringMvc {}
}
