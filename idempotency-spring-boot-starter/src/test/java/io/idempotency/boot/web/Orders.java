package io.idempotency.boot.web;

import java.net.URI;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.DuplicatePolicy;
import io.idempotency.IdempotencyKey;
import io.idempotency.Idempotent;
import io.idempotency.boot.testing.HttpApplication;
import io.idempotency.test.TestDatabase;

import static org.springframework.web.bind.annotation.RequestMethod.DELETE;
import static org.springframework.web.bind.annotation.RequestMethod.GET;
import static org.springframework.web.bind.annotation.RequestMethod.HEAD;
import static org.springframework.web.bind.annotation.RequestMethod.OPTIONS;
import static org.springframework.web.bind.annotation.RequestMethod.PATCH;
import static org.springframework.web.bind.annotation.RequestMethod.POST;
import static org.springframework.web.bind.annotation.RequestMethod.PUT;

/** A small API: each order that was accepted is a row. */
@Import({Orders.Controller.class, Orders.Service.class})
final class Orders {

    static final String TEA = "{\"item\":\"tea\",\"quantity\":2}";

    static final String COFFEE = "{\"item\":\"coffee\",\"quantity\":2}";

    private Orders() {}

    static void createTable(TestDatabase database) {
        database.jdbc().execute("create table customer_order (id uuid primary key, item text not null)");
    }

    static long count(HttpApplication application) {
        return application.jdbc().queryForObject("select count(*) from customer_order", Long.class);
    }

    static void clear(HttpApplication application) {
        application.jdbc().execute("truncate customer_order");
        application.forgetRequests();
        application.bean(Service.class).reset();
    }

    record Order(String item, int quantity) {}

    record Confirmation(UUID id, String item) {}

    @ResponseStatus(HttpStatus.CONFLICT)
    static class OutOfStockException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        OutOfStockException(String item) {
            super("There is no " + item + " left");
        }
    }

    @RestController
    static class Controller {

        private final Service orders;

        Controller(Service orders) {
            this.orders = orders;
        }

        @PostMapping("/orders")
        ResponseEntity<Confirmation> place(@IdempotencyKeyHeader String key, @RequestBody Order order) {
            Confirmation confirmation = orders.place(key, order);
            return ResponseEntity.created(URI.create("/orders/" + confirmation.id()))
                    .body(confirmation);
        }

        @PostMapping("/impatient-orders")
        @ResponseStatus(HttpStatus.CREATED)
        Confirmation placeAtOnce(@IdempotencyKeyHeader IdempotencyKey key, @RequestBody Order order) {
            return orders.placeAtOnce(key, order);
        }

        @PostMapping("/optional-orders")
        Confirmation placePerhapsTwice(
                @IdempotencyKeyHeader(required = false) @Nullable String key, @RequestBody Order order) {
            return key == null ? orders.insert(order) : orders.place(key, order);
        }

        @RequestMapping(
                path = "/any-method",
                method = {GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE})
        String anyMethod(@IdempotencyKeyHeader @Nullable String key) {
            return "key " + key;
        }

        @PostMapping("/unrelated")
        String unrelated() {
            return "no key is taken here";
        }

        /** Two idempotent calls for one key of the client, and perhaps one for a key of somebody else. */
        @PostMapping("/two-steps")
        void twoSteps(@IdempotencyKeyHeader String key, @RequestParam(required = false) @Nullable String otherKey) {
            Order order = new Order("tea", 1);
            orders.place(key, order);
            orders.placeAtOnce(new IdempotencyKey(otherKey == null ? key : otherKey), order);
        }
    }

    static class Service {

        private final JdbcTemplate jdbc;

        private volatile CountDownLatch begun = new CountDownLatch(1);

        private volatile CountDownLatch mayEnd = new CountDownLatch(0);

        Service(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        /** From now on the method does not end. */
        void hold() {
            begun = new CountDownLatch(1);
            mayEnd = new CountDownLatch(1);
        }

        void awaitHeld() throws InterruptedException {
            if (!begun.await(20, TimeUnit.SECONDS)) {
                throw new AssertionError("The method was not called");
            }
        }

        void release() {
            mayEnd.countDown();
        }

        void reset() {
            release();
        }

        @Transactional
        @Idempotent(
                scope = "orders",
                key = "#key",
                fingerprint = "#order",
                finalFailures = OutOfStockException.class,
                waitTimeout = "300ms")
        public Confirmation place(String key, Order order) {
            return insert(order);
        }

        @Transactional
        @Idempotent(
                scope = "impatient-orders",
                key = "#key",
                fingerprint = "#order",
                onDuplicate = DuplicatePolicy.FAIL)
        public Confirmation placeAtOnce(IdempotencyKey key, Order order) {
            return insert(order);
        }

        Confirmation insert(Order order) {
            if (order.item().equals("nothing")) {
                throw new OutOfStockException("nothing");
            }
            UUID id = jdbc.queryForObject(
                    "insert into customer_order values (gen_random_uuid(), ?) returning id", UUID.class, order.item());
            begun.countDown();
            try {
                if (!mayEnd.await(20, TimeUnit.SECONDS)) {
                    throw new AssertionError("The method was never let go");
                }
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
            return new Confirmation(id, order.item());
        }
    }
}
