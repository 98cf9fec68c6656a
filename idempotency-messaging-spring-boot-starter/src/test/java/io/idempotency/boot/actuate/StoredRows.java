package io.idempotency.boot.actuate;

import java.util.List;
import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;

/** Rows of the library's tables, each as some accident has left it. */
final class StoredRows {

    private final JdbcTemplate jdbc;

    StoredRows(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    void succeeded(String key, String response) {
        request(key, "succeeded", response, null, 1);
    }

    void leasedUntil(String key, String when) {
        request(key, "processing", null, when, 1);
    }

    void abandoned(String key) {
        request(key, "processing", null, null, 1);
    }

    void failed(String key, int attempts) {
        request(key, "failed_retryable", null, null, attempts);
    }

    private void request(String key, String status, String response, String lockedUntil, int attempts) {
        jdbc.update("""
                insert into idempotency.idempotency_request (
                    request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
                    response_body, claimed_by, claim_token, claimed_at, locked_until, attempt_count, created_at, updated_at,
                    expires_at)
                values (idempotency.idempotency_request_id('payments', ?, ''), 'payments', '', ?, '\\x01', 1, ?,
                    ?::json, 'an instance', gen_random_uuid(), now(), now() + ?::interval, ?, now(), now(),
                    now() + interval '7 days')""", key, key, status, response, lockedUntil, attempts);
    }

    void stale(int number) {
        jdbc.update("""
                insert into idempotency.idempotency_request (
                    request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
                    claimed_by, claimed_at, locked_until, attempt_count, created_at, updated_at, expires_at)
                select idempotency.idempotency_request_id('payments', n::text, ''), 'payments', '', n::text, '\\x01', 1,
                    'processing', 'an instance', now() + n * interval '1 ms', now() - interval '1 hour', 1, now(), now(),
                    now() + interval '7 days'
                from generate_series(1, ?) as n""", number);
    }

    UUID message(String type, String status, String orderingKey) {
        UUID id = UUID.randomUUID();
        jdbc.update("""
                insert into idempotency.outbox_event (
                    message_id, topic, message_type, ordering_key, lane, payload, headers, idempotency_scope, caller,
                    idempotency_key, status, attempt_count, last_error, created_at, due_at, next_attempt_at)
                values (?, 'orders', ?, ?, 0, '{}', '{}', 'payments', '', 'order-42', ?, 3, 'no route', now(), now(),
                    now() + interval '1 hour')""", id, type, orderingKey, status);
        return id;
    }

    void messages(String status, int number) {
        jdbc.update("""
                insert into idempotency.outbox_event (
                    message_id, topic, message_type, ordering_key, lane, payload, headers, status, attempt_count,
                    last_error, created_at, due_at, next_attempt_at)
                select gen_random_uuid(), 'orders', 'Number' || n, 'one-key', 0, '{}', '{}', ?, 0, 'no route', now(), now(),
                    now() + interval '1 hour'
                from generate_series(1, ?) as n""", status, number);
    }

    void failing(String messageId, int attempts) {
        jdbc.update("""
                insert into idempotency.message_failure (
                    consumer, message_id, message_type, attempt_count, failure_code, failure_message, first_failed_at,
                    last_failed_at, expires_at)
                values ('invoices', ?, 'OrderPaid', ?, 'java.lang.IllegalStateException', 'no account', now(), now(),
                    now() + interval '14 days')""", messageId, attempts);
    }

    void failing(int number) {
        jdbc.update("""
                insert into idempotency.message_failure (
                    consumer, message_id, attempt_count, failure_code, failure_message, first_failed_at, last_failed_at,
                    expires_at)
                select 'invoices', n::text, 1, 'code', 'message', now(), now(), now() + interval '14 days'
                from generate_series(1, ?) as n""", number);
    }

    void expired(int number) {
        jdbc.update("""
                insert into idempotency.processed_message (consumer, message_id, processed_at, expires_at)
                select 'expired', n::text, now() - interval '15 days', now() - interval '1 day'
                from generate_series(1, ?) as n""", number);
    }

    String statusOf(String key) {
        return jdbc.queryForObject(
                "select status from idempotency.idempotency_request where idempotency_key = ?", String.class, key);
    }

    List<String> requests() {
        return jdbc.queryForList(
                "select r::text from idempotency.idempotency_request r order by request_id", String.class);
    }

    void clear() {
        jdbc.execute("truncate idempotency.idempotency_request, idempotency.processed_message,"
                + " idempotency.message_failure, idempotency.outbox_event");
    }
}
