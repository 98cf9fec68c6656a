package io.idempotency.internal.postgres;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

import io.idempotency.test.TestDatabase;

/** Runs a test class with each way in which the driver sends statements. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass(name = "{0}")
@ValueSource(
        strings = {
            "preferQueryMode=simple",
            "preferQueryMode=extended",
            "preferQueryMode=extendedForPrepared",
            "preferQueryMode=extendedCacheEverything",
            "prepareThreshold=1",
            "prepareThreshold=0",
            "binaryTransfer=false",
            "autosave=always",
            "autosave=conservative",
            "defaultRowFetchSize=1",
        })
public @interface EachDriverMode {

    /** Connections of one mode. */
    final class Connections {

        private Connections() {}

        public static Connection open(TestDatabase database, String driverSetting) throws SQLException {
            return open(database.jdbcUrl(), database, driverSetting);
        }

        public static Connection open(String url, TestDatabase database, String driverSetting) throws SQLException {
            return DriverManager.getConnection(
                    url + (url.contains("?") ? "&" : "?") + driverSetting, database.username(), database.password());
        }
    }
}
