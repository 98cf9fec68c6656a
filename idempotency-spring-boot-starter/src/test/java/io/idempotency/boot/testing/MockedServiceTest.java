package io.idempotency.boot.testing;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistrar;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/** An application's own test that replaces a service with idempotent methods by a mock. */
@SpringBootTest(classes = MockedServiceTest.Application.class)
@Tag("full")
class MockedServiceTest {

    @MockitoBean
    private Greetings greetings;

    @Test
    void aMockHasNothingToProtect() {
        given(greetings.greet("key")).willReturn("mocked");

        assertThat(greetings.greet("key")).isEqualTo("mocked");
    }

    @Configuration(proxyBeanMethods = false)
    @Import({JdbcTestApplication.class, Greetings.class})
    static class Application {

        @Bean(destroyMethod = "close")
        static TestDatabase testDatabase() {
            return TestDatabase.create();
        }

        @Bean
        static DynamicPropertyRegistrar databaseProperties(TestDatabase database) {
            return registry -> database.springProperties().forEach((name, value) -> registry.add(name, () -> value));
        }
    }

    static class Greetings {

        @Transactional
        @Idempotent(scope = "greetings", key = "#key")
        public String greet(String key) {
            return "hello";
        }
    }
}
