package io.idempotency.boot.upgrade;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.Idempotent;
import io.idempotency.boot.IdempotencyJsonMapper;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** Deployments of one application with other settings of Jackson, or with a renamed member, on one database. */
@PostgresTest(empty = true)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OtherJsonSettingsTest {

    private static final Order ORDER = new Order("ada", Kind.SAME_DAY, new BigDecimal("1.50"), null, List.of(), 0);

    private final TestDatabase database;

    private final ConfigurableApplicationContext older;

    OtherJsonSettingsTest(TestDatabase database) {
        this.database = database;
        older = start(Payments.class);
        database.jdbc().execute("create table paid (account text not null)");
    }

    private ConfigurableApplicationContext start(Class<?> service, String... settings) {
        return JdbcTestApplication.start(database, new Class<?>[] {service}, settings);
    }

    @BeforeEach
    void empty() {
        database.jdbc().execute("truncate paid, idempotency.idempotency_request");
    }

    @AfterAll
    void stop() {
        older.close();
    }

    enum Kind {
        SAME_DAY,
        NEXT_DAY;

        @Override
        public String toString() {
            return "a day";
        }
    }

    record Order(
            String accountName,
            Kind kind,
            BigDecimal amount,
            @Nullable String note,
            List<String> items,
            int discount) {}

    record Receipt(
            String receiptNumber,
            String payTo,
            Kind kind,
            Instant paidAt,
            Date date,
            ZonedDateTime valueDate,
            Duration duration,
            Optional<String> note,
            List<String> items,
            int discount) {}

    static class Payments {

        private final JdbcTemplate jdbc;

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @SuppressWarnings("JavaUtilDate") // Users have some.
        @Transactional
        @Idempotent(scope = "payments", key = "#key")
        public Receipt pay(String key, Order order) {
            jdbc.update("insert into paid values (?)", order.accountName());
            return new Receipt(
                    "no-1",
                    "bob",
                    order.kind(),
                    Instant.parse("2026-02-03T04:05:06.123456Z"),
                    new Date(1_000),
                    ZonedDateTime.parse("2026-02-03T04:05:06+05:30[Asia/Kolkata]"),
                    Duration.ofSeconds(90),
                    Optional.empty(),
                    order.items(),
                    order.discount());
        }
    }

    private static Receipt pay(ConfigurableApplicationContext application) {
        return application.getBean(Payments.class).pay("a-key", ORDER);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "property-naming-strategy=SNAKE_CASE, default-property-inclusion=NON_NULL, time-zone=Asia/Tokyo,"
                        + " datatype.enum.write-enums-using-index=true, datatype.datetime.write-dates-as-timestamps=true",
                "use-jackson2-defaults=true, default-property-inclusion=NON_DEFAULT, locale=fr, visibility.field=any,"
                        + " datatype.enum.write-enums-to-lowercase=true"
            })
    void bothReplayEachOther(String settings) {
        try (ConfigurableApplicationContext newer =
                start(Payments.class, ("spring.jackson." + settings.replace(", ", ",spring.jackson.")).split(","))) {
            Receipt receipt = pay(older);
            assertThat(pay(newer)).isEqualTo(receipt);
            assertThat(effects()).isEqualTo(1);

            empty();
            receipt = pay(newer);
            assertThat(pay(older)).isEqualTo(receipt);
            assertThat(effects()).isEqualTo(1);
        }
    }

    private int effects() {
        return database.jdbc().queryForObject("select count(*) from paid", Integer.class);
    }

    static class PaymentsWithTheApplicationsMapper extends Payments {

        PaymentsWithTheApplicationsMapper(JdbcTemplate jdbc) {
            super(jdbc);
        }

        @Bean
        static IdempotencyJsonMapper mapper(JsonMapper applications) {
            return new IdempotencyJsonMapper(applications);
        }
    }

    @Test
    void aMapperOfTheApplicationForThisLibraryIsTaken() {
        try (ConfigurableApplicationContext own =
                start(PaymentsWithTheApplicationsMapper.class, "spring.jackson.property-naming-strategy=SNAKE_CASE")) {
            pay(own);
        }

        assertThat(database.jdbc()
                        .queryForObject("select response_body from idempotency.idempotency_request", String.class))
                .contains("\"receipt_number\":\"no-1\"");
    }
}
