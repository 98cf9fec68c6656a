package io.idempotency.boot.web;

import org.springframework.http.HttpStatus;

import io.idempotency.IdempotencyException;

/**
 * A problem that clients get for a refusal. The messages of the exceptions are for developers. Each bean of this type is known in
 * addition to the problems of calls.
 *
 * @param refusal the refusal; not those of its subclasses
 * @param slug the last part of the problem's type URI
 * @param title a summary that is the same for all problems of this kind
 * @param detail an explanation that discloses nothing about the application
 */
public record Problem(
        Class<? extends IdempotencyException> refusal, String slug, HttpStatus status, String title, String detail) {

    /** Placeholder for the name of the header in the texts. */
    private static final String HEADER = "Idempotency-Key";

    /** Returns the title with the name of the header. */
    String title(String headerName) {
        return title.replace(HEADER, headerName);
    }

    /** Returns the detail with the name of the header. */
    String detail(String headerName) {
        return detail.replace(HEADER, headerName);
    }
}
