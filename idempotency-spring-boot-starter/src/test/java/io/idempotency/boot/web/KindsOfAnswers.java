package io.idempotency.boot.web;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;

import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

import io.idempotency.Idempotent;

/** Handler methods that are idempotent themselves; none answers twice in the same way if it runs twice. */
@RestController
@Transactional
class KindsOfAnswers {

    private final AtomicInteger executions = new AtomicInteger();

    private final JdbcTemplate jdbc;

    KindsOfAnswers(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    int executions() {
        return executions.get();
    }

    @PostMapping("/record")
    @Idempotent(scope = "record", key = "#key")
    Item aRecord(@IdempotencyKeyHeader String key) {
        return item();
    }

    @PostMapping("/nothing")
    @Idempotent(scope = "nothing", key = "#key")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void nothing(@IdempotencyKeyHeader String key) {
        executed();
    }

    @PostMapping("/null")
    @Idempotent(scope = "null", key = "#key")
    @Nullable Item aNull(@IdempotencyKeyHeader String key) {
        executed();
        return null;
    }

    @PostMapping("/no-content")
    @Idempotent(scope = "no-content", key = "#key")
    ResponseEntity<Void> noContent(@IdempotencyKeyHeader String key) {
        return ResponseEntity.noContent().eTag("v" + executed()).build();
    }

    @PostMapping("/see-other")
    @Idempotent(scope = "see-other", key = "#key")
    ResponseEntity<Void> seeOther(@IdempotencyKeyHeader String key) {
        return ResponseEntity.status(HttpStatus.SEE_OTHER)
                .location(URI.create("/items/" + executed()))
                .build();
    }

    @PostMapping("/text")
    @Idempotent(scope = "text", key = "#key")
    String text(@IdempotencyKeyHeader String key) {
        return "execution \"" + executed() + "\"\n\u00e9 \u20ac";
    }

    @PostMapping("/plain-text")
    @Idempotent(scope = "plain-text", key = "#key")
    ResponseEntity<String> plainText(@IdempotencyKeyHeader String key) {
        return ResponseEntity.ok()
                .contentType(new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_16BE))
                .body("execution " + executed() + " \u20ac");
    }

    @PostMapping("/bytes")
    @Idempotent(scope = "bytes", key = "#key")
    ResponseEntity<byte[]> bytes(@IdempotencyKeyHeader String key) {
        return ResponseEntity.ok()
                .contentType(MediaType.APPLICATION_OCTET_STREAM)
                .body(new byte[] {0, -1, 127, -128, (byte) executed()});
    }

    @PostMapping("/encoded")
    @Idempotent(scope = "encoded", key = "#key")
    ResponseEntity<byte[]> encoded(@IdempotencyKeyHeader String key) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(executed());
        }
        return ResponseEntity.ok()
                .header(HttpHeaders.CONTENT_ENCODING, "gzip")
                .contentType(MediaType.APPLICATION_OCTET_STREAM)
                .body(bytes.toByteArray());
    }

    @PostMapping("/decimal")
    @Idempotent(scope = "decimal", key = "#key")
    Amount decimal(@IdempotencyKeyHeader String key) {
        return new Amount(new BigDecimal("1E+2"), new BigDecimal("1.00").add(BigDecimal.valueOf(executed())));
    }

    @PostMapping("/map")
    @Idempotent(scope = "map", key = "#key")
    ResponseEntity<Map<String, Integer>> map(@IdempotencyKeyHeader String key) {
        Map<String, Integer> inOrder = new LinkedHashMap<>();
        inOrder.put("zebra", 1);
        inOrder.put("apple", executed());
        inOrder.put("mango", 3);
        return ResponseEntity.ok(inOrder);
    }

    @PostMapping("/dates")
    @Idempotent(scope = "dates", key = "#key")
    Dates dates(@IdempotencyKeyHeader String key) {
        executed();
        return new Dates(
                Instant.now(),
                LocalDate.of(2024, 2, 29),
                OffsetDateTime.parse("2024-02-29T23:59:59.123456789+05:30"),
                ZonedDateTime.parse("2024-10-27T02:30:00+01:00[Europe/Berlin]"));
    }

    @PostMapping("/created")
    @Idempotent(scope = "created", key = "#key")
    ResponseEntity<Item> created(@IdempotencyKeyHeader String key) {
        Item item = item();
        return ResponseEntity.created(URI.create("/items/" + item.id()))
                .eTag("\"" + item.execution() + "\"")
                .lastModified(Instant.now())
                .header(HttpHeaders.CONTENT_LANGUAGE, "de")
                .header(HttpHeaders.LINK, "</items>; rel=\"collection\"", "</>; rel=\"index\"")
                .body(item);
    }

    @PostMapping("/failed")
    @Idempotent(scope = "failed", key = "#key")
    ResponseEntity<Item> failed(@IdempotencyKeyHeader String key) {
        return ResponseEntity.status(HttpStatus.PAYMENT_REQUIRED).body(item());
    }

    @PostMapping("/status/{first}")
    @Idempotent(scope = "status", key = "#key")
    ResponseEntity<Item> status(@IdempotencyKeyHeader String key, @PathVariable int first) {
        int execution = executed();
        jdbc.update("insert into item_of_status values (?)", execution);
        return ResponseEntity.status(execution % 2 == 1 ? first : 200)
                .header(HttpHeaders.RETRY_AFTER, "7")
                .body(new Item(UUID.randomUUID(), execution));
    }

    void clearStatus() {
        jdbc.execute("drop table if exists item_of_status; create table item_of_status (execution int)");
        executions.set(0);
    }

    @PostMapping("/headers")
    @Idempotent(scope = "headers", key = "#key")
    ResponseEntity<String> headers(@IdempotencyKeyHeader String key) {
        return ResponseEntity.ok()
                .header(HttpHeaders.LOCATION, "/items/" + executed())
                .header(HttpHeaders.SET_COOKIE, "session=secret")
                .header("X-Order-Number", "42")
                .header("X-Served-By", "node-1")
                .body("done");
    }

    private Item item() {
        return new Item(UUID.randomUUID(), executed());
    }

    private int executed() {
        return executions.incrementAndGet();
    }

    record Item(UUID id, int execution) {}

    record Amount(BigDecimal exponent, BigDecimal scale) {}

    record Dates(Instant instant, LocalDate date, OffsetDateTime offset, ZonedDateTime zoned) {}
}
