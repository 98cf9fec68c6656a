package io.idempotency.test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@Tag("full")
class TestDatabaseTest {

    @RegisterExtension
    static final TestDatabaseExtension EXTENSION = new TestDatabaseExtension();

    private final TestDatabase database = EXTENSION.database();

    @Test
    void isItsOwn() {
        try (TestDatabase other = TestDatabase.create()) {
            other.jdbc().execute("create table isolated (id int)");

            assertThat(other.jdbcUrl()).isNotEqualTo(database.jdbcUrl());
            assertThat(tables(other)).isEqualTo(1);
            assertThat(tables(database)).isZero();
        }
    }

    @Test
    void isDroppedWithItsOpenConnections() throws SQLException {
        TestDatabase other = TestDatabase.create();
        HikariDataSource pool = other.dataSource();
        try (Connection open = other.connection()) {
            other.close();
            other.close();

            assertThatThrownBy(() -> open.createStatement().execute("select 1")).isInstanceOf(SQLException.class);
        }
        assertThat(pool.isClosed()).isTrue();
        assertThat(database.jdbc()
                        .queryForObject("select count(*) from pg_database where datname = ?", Long.class, other.name()))
                .isZero();
    }

    @Test
    void givesPoolsOfTheWantedSize() throws SQLException {
        HikariDataSource pool = database.dataSource(1, Duration.ofMillis(250));
        try (Connection only = pool.getConnection()) {
            assertThat(only.isValid(1)).isTrue();
            assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);
        }
        assertThat(database.dataSource()).isSameAs(database.dataSource()).isNotSameAs(pool);
    }

    @Test
    void tellsSpringAllItNeeds() throws SQLException {
        Map<String, Object> properties = database.springProperties();
        try (Connection connection = DriverManager.getConnection(
                (String) properties.get("spring.datasource.url"),
                (String) properties.get("spring.datasource.username"),
                (String) properties.get("spring.datasource.password"))) {
            assertThat(connection.getCatalog()).isEqualTo(database.name());
        }
    }

    @Test
    void isTheSameAsAParameter(TestDatabase parameter) {
        assertThat(parameter).isSameAs(database);
    }

    @Nested
    class Inner {

        @Test
        void isSharedWithNestedClasses(TestDatabase parameter) {
            assertThat(parameter).isSameAs(database);
        }
    }

    private static long tables(TestDatabase database) {
        return database.jdbc()
                .queryForObject(
                        "select count(*) from information_schema.tables where table_schema = 'public'", Long.class);
    }
}
