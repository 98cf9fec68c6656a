package io.idempotency.boot.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.support.HttpRequestWrapper;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

import io.idempotency.IdempotencyContext;

/**
 * An interceptor for Spring's {@code RestClient} and {@code RestTemplate} that sends each request with an
 * {@code Idempotency-Key}, and repeats a request that got no answer, with the same key and the same body. Applications add
 * it to the clients of servers that honour such keys. It may be shared by threads.
 *
 * <p><b>The key</b> is the request's own {@code Idempotency-Key} header. If the request has none, but its thread is running
 * an idempotent call, the key is {@link IdempotencyContext#downstreamKey} with the name {@code "<system> <method>
 * <path>"}, for example {@code provider POST /transfers}; the path is as in the URI, the query does not count. So every
 * attempt at the call sends the same key, whatever the server's address is by then. In a step of the call the step's name is
 * part of the key, so that two steps may send to one path. Otherwise the request is refused with
 * an {@link IllegalStateException}, because it could not be repeated safely. Requests with a safe method (GET, HEAD,
 * OPTIONS, TRACE) need no key: they pass unchanged, and are not repeated.
 *
 * <p>If a method, or one of its steps, sends several requests with the same method and path, each needs a header with its own key, such as
 * {@code IdempotencyContext.current().downstreamKey("refund " + itemId)}; with one key, the server would refuse the second
 * request or answer it with the first one's response. A second request that would get the derived key of the first in the
 * same run of the method is therefore refused with an {@link IllegalStateException}, unless it is the same request, and the
 * first one has failed.
 *
 * <p><b>Repeated are</b> lost answers, which is every {@link IOException}, even one in the middle of the answer, and the
 * statuses 408, 409 (the first request may still be running), 425, 429, 502, 503 and 504. Any other answer is given to the
 * caller at once: 422 and all others below 500 because a repeat would get them again, 500 because it may be a stored
 * failure. The pause before a repeat is about 200 milliseconds, doubled each time up to five seconds, or the answer's
 * {@code Retry-After}, in seconds or as a date, if that is longer.
 *
 * <p><b>Limits:</b> a request is sent {@code maxAttempts} times at most, and no repeat begins later than
 * {@code maxDuration} after the first attempt; if its pause would end later, there is no pause either. A running attempt
 * is not cut off, so give the client timeouts to connect and to read: without them it never stops waiting for a lost answer. An
 * interrupt ends the pause and the repeats, and stays set. When no repeat is left, the caller gets the last answer or
 * {@link IOException} as it is. Answers are read into memory, and the connection is free during pauses.
 *
 * <p>In an idempotent call, use it with {@code mode = LEASED}: the lease is renewed during attempts and pauses. In a
 * {@code TRANSACTIONAL} call, attempts and pauses would keep the transaction open, and a rollback would not undo what the server did.
 *
 * <p>A retry of the application around the client does no harm if the key is made outside of it or derived; the numbers
 * of attempts multiply. Interceptors that are added after this one run for each attempt.
 *
 * @see <a href="https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/">The Idempotency-Key HTTP
 *     Header Field</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#name-retry-after">RFC 9110, section 10.2.3, Retry-After</a>
 */
public final class IdempotencyKeyInterceptor implements ClientHttpRequestInterceptor {

    /** How often a request is sent at most by default, the first time included. */
    public static final int DEFAULT_MAX_ATTEMPTS = 5;

    /** How long after the first attempt a repeat may begin by default: 30 seconds. */
    public static final Duration DEFAULT_MAX_DURATION = Duration.ofSeconds(30);

    private static final Logger logger = LoggerFactory.getLogger(IdempotencyKeyInterceptor.class);

    private static final String HEADER = "Idempotency-Key";

    /** See <a href="https://www.rfc-editor.org/rfc/rfc9110#name-safe-methods">RFC 9110, Safe Methods</a>. */
    private static final Set<HttpMethod> SAFE_METHODS =
            Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS, HttpMethod.TRACE);

    /** The server has not done what was asked, or a gateway has lost its answer, so that only a repeat can tell. */
    private static final Set<Integer> REPEATED = Set.of(408, 409, 425, 429, 502, 503, 504);

    private final String system;

    private final int maxAttempts;

    private final Duration maxDuration;

    private final Timer timer;

    /**
     * The requests with derived keys, by the run of the method that sent them. Of all interceptors, because several may bear
     * the name of one system.
     */
    private static final Map<IdempotencyContext, Map<String, DerivedKeyRequest>> sentRequests =
            Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Creates an interceptor with the default limits.
     *
     * @param system name of the system that the client calls, such as {@code provider}. Derived keys depend on it, so it
     *     must stay the same in later releases of the application
     * @throws IllegalArgumentException if the name is blank
     */
    public IdempotencyKeyInterceptor(String system) {
        this(system, DEFAULT_MAX_ATTEMPTS, DEFAULT_MAX_DURATION);
    }

    /**
     * Creates an interceptor.
     *
     * @param system name of the system that the client calls, such as {@code provider}. Derived keys depend on it, so it
     *     must stay the same in later releases of the application
     * @param maxAttempts how often a request is sent at most, the first time included; at least 1
     * @param maxDuration how long after the first attempt a repeat may begin; more than zero
     * @throws IllegalArgumentException if the name is blank or a limit is out of range
     */
    public IdempotencyKeyInterceptor(String system, int maxAttempts, Duration maxDuration) {
        this(system, maxAttempts, maxDuration, Timer.SYSTEM);
    }

    IdempotencyKeyInterceptor(String system, int maxAttempts, Duration maxDuration, Timer timer) {
        Assert.hasText(system, "The name of the system must not be blank");
        Assert.isTrue(maxAttempts >= 1, "maxAttempts must be at least 1");
        Assert.isTrue(maxDuration.compareTo(Duration.ZERO) > 0, "maxDuration must be more than zero");
        this.system = system;
        this.maxAttempts = maxAttempts;
        this.maxDuration = maxDuration;
        this.timer = timer;
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        if (SAFE_METHODS.contains(request.getMethod())) {
            return execution.execute(request, body);
        }
        if (StringUtils.hasText(request.getHeaders().getFirst(HEADER))) {
            return sendUntilAnswered(request, request.getHeaders(), body, execution);
        }
        return sendWithDerivedKey(request, body, execution);
    }

    /** Throws no IdempotencyException, which would tell a client of this application that its own key is missing. */
    private ClientHttpResponse sendWithDerivedKey(
            HttpRequest request, byte[] body, ClientHttpRequestExecution execution) throws IOException {
        String operation = request.getMethod() + " " + request.getURI().getRawPath();
        IdempotencyContext call = IdempotencyContext.find()
                .orElseThrow(
                        () -> new IllegalStateException(
                                "The request " + operation + " has no " + HEADER
                                        + ", and this thread is not running an idempotent call: set the header to a value that is the"
                                        + " same whenever this request is sent again, or send it on the thread of an idempotent method"));
        String key = call.downstreamKey(system + " " + operation);
        Map<String, DerivedKeyRequest> sent = sentRequests.computeIfAbsent(call, newCall -> new HashMap<>());
        String content = DerivedKeyRequest.digest(request.getURI(), body);
        DerivedKeyRequest earlier = sent.putIfAbsent(key, new DerivedKeyRequest(content, false));
        Assert.state(
                earlier == null || earlier.mayBeSentAgain(content),
                () -> "The request " + operation + " has no " + HEADER + ", and this call has sent another such request"
                        + " before: give each its own key with the header " + HEADER
                        + ", such as IdempotencyContext.current().downstreamKey(\"refund \" + itemId)");
        HttpHeaders headers = HttpHeaders.copyOf(request.getHeaders());
        headers.set(HEADER, key);
        ClientHttpResponse answer = sendUntilAnswered(request, headers, body, execution);
        if (!answer.getStatusCode().isError()) {
            sent.put(key, new DerivedKeyRequest(content, true));
        }
        return answer;
    }

    private ClientHttpResponse sendUntilAnswered(
            HttpRequest request, HttpHeaders headers, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        Attempts attempts = new Attempts(maxAttempts, maxDuration, timer);
        while (true) {
            try {
                BufferedResponse answer =
                        BufferedResponse.read(execution.execute(new AttemptRequest(request, headers), body));
                if (!REPEATED.contains(answer.getStatusCode().value())
                        || !attempts.pauseBeforeNext(RetryAfterHeader.find(answer.getHeaders()))) {
                    return answer;
                }
                logger.debug("Repeating {} after status {}", request.getMethod(), answer.getStatusCode());
            } catch (IOException lost) {
                if (!attempts.pauseBeforeNext(null)) {
                    throw lost;
                }
                logger.debug("Repeating {} without an answer", request.getMethod(), lost);
            }
        }
    }

    /** With its own copy of the headers, to which later interceptors may add. */
    private static final class AttemptRequest extends HttpRequestWrapper {

        private final HttpHeaders headers;

        AttemptRequest(HttpRequest request, HttpHeaders headers) {
            super(request);
            this.headers = HttpHeaders.copyOf(headers);
        }

        @Override
        public HttpHeaders getHeaders() {
            return headers;
        }
    }
}
