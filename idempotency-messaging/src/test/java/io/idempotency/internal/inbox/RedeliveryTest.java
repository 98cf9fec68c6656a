package io.idempotency.internal.inbox;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataIntegrityViolationException;

import io.idempotency.ArgumentNotStorableException;
import io.idempotency.ClaimAbandonedException;
import io.idempotency.ExpressionFailedException;
import io.idempotency.IdempotencyException;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.InvalidIdempotencyKeyException;
import io.idempotency.KeyReusedException;
import io.idempotency.LeaseLostException;
import io.idempotency.LockNotAcquiredException;
import io.idempotency.MissingCallerException;
import io.idempotency.MissingIdempotencyKeyException;
import io.idempotency.OtherApplicationException;
import io.idempotency.OutcomeUnknownException;
import io.idempotency.PayloadNotFingerprintableException;
import io.idempotency.RecordedFailureException;
import io.idempotency.ReentrantCallException;
import io.idempotency.RequestInProgressException;
import io.idempotency.ResponseExpiredException;
import io.idempotency.ResponseNotStorableException;
import io.idempotency.StepsChangedException;
import io.idempotency.TransactionFailedException;
import io.idempotency.TransactionMismatchException;
import io.idempotency.UnreadableResponseException;
import io.idempotency.inbox.MessageConflictException;
import io.idempotency.inbox.MessageGapException;
import io.idempotency.inbox.Redelivery;
import io.idempotency.outbox.DeduplicationKeyReusedException;

import static org.assertj.core.api.Assertions.assertThat;

/** Which failures go back to the broker, and which to a dead letter channel. */
class RedeliveryTest {

    private static final Intent MESSAGE = new Intent("bookings", "", new IdempotencyKey("m-1"));

    private static final List<IdempotencyException> WORTHWHILE = List.of(
            new LeaseLostException(MESSAGE, 1),
            new LockNotAcquiredException("settlement", "merchant-1", Duration.ofSeconds(1), new SQLException()),
            new MessageGapException(MESSAGE, "customer-1", 2, 4),
            new OtherApplicationException(
                    "the consumer belongs to another application until an operator says otherwise"),
            new OutcomeUnknownException(
                    MESSAGE, Duration.ofSeconds(1), "nobody answered", new SQLException("connection lost", "08006")),
            new RequestInProgressException(MESSAGE, Duration.ofSeconds(1), "is handled elsewhere", null),
            new TransactionFailedException(MESSAGE, "a statement failed"));

    private static final List<IdempotencyException> POINTLESS = List.of(
            new ArgumentNotStorableException(MESSAGE, "tour", "it cannot be read back", null),
            new ClaimAbandonedException(MESSAGE),
            new ExpressionFailedException("no such member", new IllegalStateException()),
            new InvalidIdempotencyKeyException("too long"),
            new KeyReusedException(MESSAGE),
            new MessageConflictException(MESSAGE),
            new DeduplicationKeyReusedException("orders", "42", UUID.randomUUID()),
            new MissingCallerException("nobody"),
            new MissingIdempotencyKeyException("no id"),
            new PayloadNotFingerprintableException("a stream", null),
            new RecordedFailureException(MESSAGE, "card_declined", "The card was declined"),
            new ReentrantCallException(MESSAGE, "in itself"),
            new ResponseExpiredException(MESSAGE),
            new ResponseNotStorableException(MESSAGE, "too large", null),
            new StepsChangedException(MESSAGE, "has returned", List.of("charge"), null),
            new TransactionMismatchException("another DataSource"),
            new UnreadableResponseException(MESSAGE, "InboxMessage", new IllegalStateException()));

    @Test
    void everyExceptionOfTheLibraryIsDecidedOn() {
        Map<String, Boolean> decided = new HashMap<>();
        WORTHWHILE.forEach(failure -> decided.put(failure.getClass().getName(), true));
        POINTLESS.forEach(failure -> decided.put(failure.getClass().getName(), false));

        assertThat(decided.keySet()).isEqualTo(exceptionsOfTheLibrary());
        WORTHWHILE.forEach(failure -> assertThat(Redelivery.isWorthwhile(failure))
                .as(failure.toString())
                .isTrue());
        POINTLESS.forEach(failure -> assertThat(Redelivery.isWorthwhile(failure))
                .as(failure.toString())
                .isFalse());
    }

    private static Set<String> exceptionsOfTheLibrary() {
        return new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("io.idempotency")
                        .that(DescribedPredicate.describe(
                                "is an exception that a call can throw",
                                (JavaClass type) -> type.isAssignableTo(IdempotencyException.class)
                                        && !type.getModifiers().contains(JavaModifier.ABSTRACT)))
                        .stream()
                        .map(JavaClass::getName)
                        .collect(Collectors.toSet());
    }

    @Test
    void aListenerContainersWrappersDoNotHideTheCause() {
        Exception wrapped = new IllegalStateException("Listener failed", new KeyReusedException(MESSAGE));

        assertThat(Redelivery.isWorthwhile(wrapped)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"22001", "22P02", "23502", "23514"})
    void dataThatNoDeliveryCanStoreIsPointless(String sqlState) {
        assertThat(Redelivery.isWorthwhile(translated(sqlState))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"23503", "23505", "40001", "40P01", "53300", "55P03", "57014", "57P01", "08006"})
    void whatMayHaveChangedAtTheNextDeliveryIsWorthwhile(String sqlState) {
        assertThat(Redelivery.isWorthwhile(translated(sqlState))).isTrue();
    }

    @Test
    void anUnknownFailureIsWorthwhile() {
        assertThat(Redelivery.isWorthwhile(new IllegalStateException("the provider does not answer")))
                .isTrue();
        assertThat(Redelivery.isWorthwhile(translated(null))).isTrue();
    }

    private static Exception translated(String sqlState) {
        return new DataIntegrityViolationException("refused", new SQLException("refused", sqlState));
    }
}
