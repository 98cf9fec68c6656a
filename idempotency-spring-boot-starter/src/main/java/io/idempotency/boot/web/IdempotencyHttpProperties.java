package io.idempotency.boot.web;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Settings of the {@code Idempotency-Key} header over Spring MVC.
 *
 * @param headerName Name of the request header that carries the key.
 * @param strict Whether the key must be a string in double quotes, as in the draft standard. If not, it may also be
 *     bare text, as many clients send it.
 * @param replayedHeaderName Name of the response header that marks replays.
 * @param replayHeaders Response headers of a ResponseEntity that are stored and replayed, in addition to Content-Type,
 *     Content-Encoding, Content-Language, ETag, Last-Modified, Link and Location.
 * @param retryStatus Statuses of a ResponseEntity that ask for a repeat. Such a response is not stored, and its call is
 *     rolled back. If empty, every response is stored.
 * @param caller Owner of the keys, unless the application defines a CallerResolver.
 * @param requireCaller Whether requests without a caller are refused.
 * @param problemDetails Whether refused calls are answered with problem details.
 * @param problemTypeBase Start of the type URIs of problems.
 * @param documentationUrl Page about idempotency for the clients of this application; every problem links to it.
 * @param failureStatus HTTP status of recorded failures by their code; 422 for all others.
 */
@ConfigurationProperties("idempotency.http")
public record IdempotencyHttpProperties(
        @DefaultValue("Idempotency-Key") String headerName,
        @DefaultValue("false") boolean strict,
        @DefaultValue("Idempotent-Replayed") String replayedHeaderName,
        @DefaultValue List<String> replayHeaders,

        @DefaultValue({"408", "425", "429", "502", "503", "504"})
        Set<Integer> retryStatus,

        @DefaultValue("principal") Caller caller,
        @DefaultValue("false") boolean requireCaller,
        @DefaultValue("true") boolean problemDetails,
        @DefaultValue("urn:problem-type:idempotency:") String problemTypeBase,
        @Nullable URI documentationUrl,
        @DefaultValue Map<String, Integer> failureStatus) {

    /** Headers that belong to one connection, one moment or one client, and must not reach another. */
    private static final Set<String> NEVER_REPLAYED = Set.of(
            "access-control-allow-credentials",
            "access-control-allow-origin",
            "age",
            "authentication-info",
            "authorization",
            "connection",
            "content-length",
            "date",
            "keep-alive",
            "proxy-authenticate",
            "proxy-authentication-info",
            "proxy-authorization",
            "proxy-connection",
            "set-cookie",
            "set-cookie2",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "www-authenticate");

    /** See <a href="https://www.rfc-editor.org/rfc/rfc9110#name-tokens">RFC 9110, Tokens</a>. */
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

    private static final int MIN_STATUS = 400;

    private static final int MAX_STATUS = 599;

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a value is not valid
     */
    public IdempotencyHttpProperties {
        requireHeaderName("idempotency.http.header-name", headerName);
        requireHeaderName("idempotency.http.replayed-header-name", replayedHeaderName);
        replayHeaders.forEach(header -> requireHeaderName("idempotency.http.replay-headers", header));
        replayHeaders.forEach(header -> Assert.isTrue(
                !NEVER_REPLAYED.contains(header.toLowerCase(Locale.ROOT)),
                () -> "idempotency.http.replay-headers must not contain " + header
                        + ": it belongs to one connection, one moment or one client, and would reach another"));
        requireStartOfUri(problemTypeBase);
        failureStatus.forEach((code, status) -> Assert.isTrue(
                status >= MIN_STATUS && status <= MAX_STATUS,
                () -> "idempotency.http.failure-status of " + code + " must be 400 to 599, not " + status));
        retryStatus.forEach(status -> Assert.isTrue(
                status >= MIN_STATUS && status <= MAX_STATUS,
                () -> "idempotency.http.retry-status must be 400 to 599, not " + status));
        replayHeaders = List.copyOf(replayHeaders);
        retryStatus = Set.copyOf(retryStatus);
        failureStatus = Map.copyOf(failureStatus);
    }

    private static void requireHeaderName(String property, String name) {
        Assert.isTrue(
                TOKEN.matcher(name).matches(), () -> property + " must be the name of a header, not '" + name + "'");
    }

    private static void requireStartOfUri(String base) {
        try {
            new URI(base + "name");
        } catch (URISyntaxException noUri) {
            throw new IllegalArgumentException(
                    "idempotency.http.problem-type-base must be the start of a URI, not '" + base + "'");
        }
    }

    /** The owners of keys. */
    public enum Caller {

        /** The user whom Spring Security has authenticated, if the application has it. */
        PRINCIPAL,

        /** No caller: all clients share their keys. */
        NONE
    }
}
