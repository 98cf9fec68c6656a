package io.idempotency.test;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ServerAddressTest {

    @Test
    void takesUserAndPasswordOutOfTheUrl() {
        ServerAddress address =
                ServerAddress.parse("jdbc:postgresql://db.local:6543/postgres?user=app&sslmode=require&password=a%26b");

        assertThat(address).isEqualTo(new ServerAddress("db.local", 6543, "postgres", "sslmode=require", "app", "a&b"));
        assertThat(address.jdbcUrl("other")).isEqualTo("jdbc:postgresql://db.local:6543/other?sslmode=require");
    }

    @Test
    void knowsTheDefaultPort() {
        assertThat(ServerAddress.parse("jdbc:postgresql://[::1]/postgres?user=a&password=b")
                        .jdbcUrl("x"))
                .isEqualTo("jdbc:postgresql://[::1]:5432/x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://localhost/postgres",
                "jdbc:postgresql://localhost/postgres?user=a",
                "jdbc:postgresql:postgres?user=a&password=secret",
                "jdbc:postgresql://one,two/postgres?user=a&password=secret"
            })
    void refusesWhatItCannotUseWithoutShowingThePassword(String url) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServerAddress.parse(url))
                .withMessageContaining("IDEMPOTENCY_TEST_JDBC_URL")
                .withMessageNotContaining("secret");
    }
}
