package io.idempotency.sample.patterns;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/** The effect is a change by some amount: what was handled is a row of its own, written in the same transaction. */
@PostgresTest
@Tag("full")
class ProcessedMessageTest {

    private final TestDatabase database;

    private final JdbcTemplate jdbc;

    ProcessedMessageTest(TestDatabase database) {
        this.database = database;
        jdbc = database.jdbc();
    }

    @Test
    void aReservationIsMadeOnceOneByOneAndInBatches() {
        jdbc.execute("create table stock (item text primary key, quantity integer not null)");
        jdbc.update("insert into stock values ('tea', 1000), ('coffee', 1000)");
        List<Reservation> reservations = IntStream.range(0, 10)
                .mapToObj(number -> new Reservation("r-" + number, number % 2 == 0 ? "tea" : "coffee", number))
                .toList();
        try (ConfigurableApplicationContext application = start()) {
            Stock stock = application.getBean(Stock.class);

            Deliveries.atOnce(reservations, stock::reserve);
            Deliveries.atOnce(List.of(reservations, reservations), stock::reserveAll);
        }

        assertThat(jdbc.queryForList("select item || ' ' || quantity from stock order by item", String.class))
                .as("25 and 20 reserved by each of two consumers")
                .containsExactly("coffee 950", "tea 960");
    }

    private ConfigurableApplicationContext start() {
        SpringApplication application = new SpringApplication(Application.class);
        application.setDefaultProperties(Map.of("spring.main.banner-mode", "off"));
        return application.run(Stream.concat(
                        Stream.of("spring.main.web-application-type=none", "spring.flyway.enabled=false"),
                        database.springProperties().entrySet().stream()
                                .map(property -> property.getKey() + "=" + property.getValue()))
                .map(property -> "--" + property)
                .toArray(String[]::new));
    }

    @EnableAutoConfiguration
    @Import(Stock.class)
    static class Application {}

    record Reservation(String id, String item, int quantity) {}

    static class Stock {

        private final JdbcTemplate jdbc;

        private final Inbox inbox;

        Stock(JdbcTemplate jdbc, Inbox inbox) {
            this.jdbc = jdbc;
            this.inbox = inbox;
        }

        @Transactional
        @IdempotentReceiver(consumer = "stock", messageId = "#reservation.id")
        public void reserve(Reservation reservation) {
            take(reservation);
        }

        @Transactional
        public void reserveAll(List<Reservation> reservations) {
            inbox.claimNew("stock-in-batches", reservations, Reservation::id).forEach(this::take);
        }

        private void take(Reservation reservation) {
            jdbc.update(
                    "update stock set quantity = quantity - ? where item = ?",
                    reservation.quantity(),
                    reservation.item());
        }
    }
}
