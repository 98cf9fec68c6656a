package io.idempotency.internal.operation;

import java.util.List;
import java.util.Optional;

import org.springframework.util.ClassUtils;

/**
 * The rule that a final failure says for certain that there is no effect and that a repeat is in vain. Otherwise a lost answer would
 * be recorded as the answer, and a client that believes it sends the request again with another key.
 */
final class FinalFailures {

    /** Failures that do not say that, by name, because most of them are not on every class path. */
    private static final List<String> NOT_CERTAIN = List.of(
            "org.springframework.web.client.ResourceAccessException",
            "org.springframework.dao.TransientDataAccessException",
            "java.util.concurrent.TimeoutException",
            "java.io.InterruptedIOException",
            "java.io.EOFException",
            "java.io.UncheckedIOException",
            "java.lang.InterruptedException",
            "java.lang.LinkageError",
            "java.lang.VirtualMachineError",
            "java.lang.reflect.UndeclaredThrowableException",
            "java.net.SocketException",
            "java.net.UnknownHostException",
            "java.net.http.HttpTimeoutException",
            "java.nio.channels.ClosedChannelException",
            "java.sql.SQLNonTransientConnectionException",
            "java.sql.SQLRecoverableException",
            "java.sql.SQLTransientException",
            "java.util.concurrent.CancellationException",
            "java.util.concurrent.CompletionException",
            "java.util.concurrent.ExecutionException",
            "java.util.concurrent.RejectedExecutionException",
            "javax.net.ssl.SSLException",
            "feign.FeignException$Conflict",
            "feign.FeignException$FeignServerException",
            "feign.FeignException$TooManyRequests",
            "feign.RetryableException",
            "io.github.resilience4j.bulkhead.BulkheadFullException",
            "io.github.resilience4j.circuitbreaker.CallNotPermittedException",
            "io.github.resilience4j.ratelimiter.RequestNotPermitted",
            "io.grpc.StatusException",
            "io.grpc.StatusRuntimeException",
            "io.idempotency.ClaimAbandonedException",
            "io.idempotency.LeaseLostException",
            "io.idempotency.LockNotAcquiredException",
            "io.idempotency.OutcomeUnknownException",
            "io.idempotency.RequestInProgressException",
            "io.idempotency.StepsChangedException",
            "io.idempotency.TransactionFailedException",
            "jakarta.persistence.LockTimeoutException",
            "jakarta.persistence.OptimisticLockException",
            "jakarta.persistence.PessimisticLockException",
            "jakarta.persistence.QueryTimeoutException",
            "org.apache.kafka.common.errors.RetriableException",
            "org.hibernate.exception.JDBCConnectionException",
            "org.postgresql.util.PSQLException",
            "org.springframework.amqp.AmqpException",
            "org.springframework.core.task.TaskRejectedException",
            "org.springframework.dao.DataAccessResourceFailureException",
            "org.springframework.dao.RecoverableDataAccessException",
            "org.springframework.jdbc.UncategorizedSQLException",
            "org.springframework.kafka.KafkaException",
            "org.springframework.orm.jpa.JpaSystemException",
            "org.springframework.transaction.TransactionException",
            "org.springframework.web.client.HttpClientErrorException$Conflict",
            "org.springframework.web.client.HttpClientErrorException$TooManyRequests",
            "org.springframework.web.client.HttpServerErrorException",
            "org.springframework.web.client.UnknownHttpStatusCodeException",
            "org.springframework.web.reactive.function.client.WebClientRequestException",
            "org.springframework.web.reactive.function.client.WebClientResponseException$BadGateway",
            "org.springframework.web.reactive.function.client.WebClientResponseException$Conflict",
            "org.springframework.web.reactive.function.client.WebClientResponseException$GatewayTimeout",
            "org.springframework.web.reactive.function.client.WebClientResponseException$InternalServerError",
            "org.springframework.web.reactive.function.client.WebClientResponseException$ServiceUnavailable",
            "org.springframework.web.reactive.function.client.WebClientResponseException$TooManyRequests");

    private static final NamedTypes AND_SUBCLASSES = new NamedTypes(NOT_CERTAIN.toArray(String[]::new));

    /** Known problems, because programmatic calls name their failures each time. */
    private static final ClassValue<Optional<String>> PROBLEMS = new ClassValue<>() {
        @Override
        protected Optional<String> computeValue(Class<?> type) {
            return compute(type);
        }
    };

    static final String ACTION =
            "Name exceptions of your own that are thrown only if there is certainly no effect, and a repeat"
                    + " is in vain, such as InsufficientFunds. After all others a repeat with the same key finds out.";

    private FinalFailures() {}

    /** Returns why an exception cannot be final; empty if it can. */
    static Optional<String> findProblem(Class<? extends Throwable> type) {
        return PROBLEMS.get(type);
    }

    /**
     * Checks final failures.
     *
     * @throws IllegalArgumentException if one is not certain
     */
    static List<Class<? extends Throwable>> require(List<Class<? extends Throwable>> types) {
        for (Class<? extends Throwable> type : types) {
            findProblem(type).ifPresent(problem -> {
                throw new IllegalArgumentException(problem + " " + ACTION);
            });
        }
        return types;
    }

    private static Optional<String> compute(Class<?> type) {
        if (AND_SUBCLASSES.include(type)) {
            return Optional.of(type.getName() + " does not say that there is no effect, or a repeat may succeed.");
        }
        return NOT_CERTAIN.stream()
                .filter(name -> isSubclass(name, type))
                .findFirst()
                .map(name -> type.getName() + " includes " + name
                        + ", which does not say that there is no effect, or after which a repeat may succeed.");
    }

    /** A thread of a common pool may not have the class loader of the application. */
    private static boolean isSubclass(String name, Class<?> type) {
        try {
            return type.isAssignableFrom(ClassUtils.forName(name, FinalFailures.class.getClassLoader()));
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }
}
