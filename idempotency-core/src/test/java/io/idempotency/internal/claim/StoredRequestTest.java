package io.idempotency.internal.claim;

import java.time.Duration;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.RequestStatus;
import io.idempotency.internal.claim.ClaimResult.Kind;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.postgres.Requests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What a claim gets that finds a row: the states of a request. */
class StoredRequestTest {

    private static final Intent INTENT = new Intent("payments", "", new IdempotencyKey("key"));

    private static final Fingerprint FINGERPRINT = new Fingerprint(1, new byte[32]);

    private static final UUID TOKEN = UUID.randomUUID();

    /** A reclaim is shown as the kind of the claim that follows it. */
    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, delimiter = '|', textBlock = """
            status           | response | lease left, ms | same payload      | another payload
            PROCESSING       |          |                | ABANDONED         | KEY_REUSED
            PROCESSING       |          | 1              | LEASED            | KEY_REUSED
            PROCESSING       |          | 0              | GRANTED_RECOVERY  | KEY_REUSED
            PROCESSING       |          | -1             | GRANTED_RECOVERY  | KEY_REUSED
            SUCCEEDED        | {}       |                | SUCCEEDED         | KEY_REUSED
            SUCCEEDED        |          |                | RESPONSE_EXPIRED  | KEY_REUSED
            FAILED_FINAL     |          |                | FAILED_FINALLY    | KEY_REUSED
            FAILED_RETRYABLE |          |                | GRANTED_RETRY     | GRANTED_RETRY
            """)
    void aClaimGets(
            RequestStatus status, @Nullable String response, @Nullable Long leaseLeft, Kind same, Kind another) {
        StoredRequest stored = stored(status, 3, response, leaseLeft);

        assertThat(kindFor(stored, request(FINGERPRINT, null))).isEqualTo(same);
        assertThat(kindFor(stored, request(new Fingerprint(1, new byte[] {1}), null)))
                .isEqualTo(another);
        assertThat(kindFor(stored, request(new Fingerprint(2, new byte[] {1}), null)))
                .as("a fingerprint of another algorithm contradicts none")
                .isEqualTo(same);
    }

    @ParameterizedTest
    @CsvSource({"true, false, false", "false, true, true"})
    void aFailedRequestWithStepsOrThatIsResumedLaterIsReclaimedOnlyWithItsPayload(
            boolean hasSteps, boolean isResumedLater, boolean isReclaimableWithoutLease) {
        StoredRequest stored = new StoredRequest(
                INTENT,
                FINGERPRINT,
                RequestStatus.FAILED_RETRYABLE,
                1,
                null,
                "code",
                "message",
                null,
                hasSteps,
                isResumedLater ? Duration.ZERO : null);

        assertThat(kindFor(stored, request(FINGERPRINT, null))).isEqualTo(Kind.GRANTED_RETRY);
        assertThat(kindFor(stored, request(new Fingerprint(1, new byte[] {1}), null)))
                .isEqualTo(Kind.KEY_REUSED);
        assertThat(stored.isReclaimableBy(request(FINGERPRINT, null))).isEqualTo(isReclaimableWithoutLease);
        assertThat(stored.isReclaimableBy(request(FINGERPRINT, new Lease(TOKEN, Duration.ofSeconds(1), null, null))))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1, GRANTED_NEW", "2, GRANTED_RECOVERY"})
    void aLeaseIsRecognizedByItsTokenEvenIfItHasExpired(int attempt, Kind kind) {
        for (long leaseLeft : new long[] {1_000, -1_000}) {
            ClaimResult result = stored(RequestStatus.PROCESSING, attempt, null, leaseLeft)
                    .answerTo(request(FINGERPRINT, new Lease(TOKEN, Duration.ofSeconds(1), null, null)));

            assertThat(result).isEqualTo(ClaimResult.granted(kind, attempt));
        }
    }

    @Test
    void theTokenOfAnotherLeaseIsNotRecognized() {
        assertThat(stored(RequestStatus.PROCESSING, 1, null, 1_000L)
                        .answerTo(
                                request(FINGERPRINT, new Lease(UUID.randomUUID(), Duration.ofSeconds(1), null, null))))
                .isEqualTo(ClaimResult.leased(Duration.ofSeconds(1)));
    }

    @Test
    void twoIntentsWithTheSameRequestIdAreRefused() {
        StoredRequest stored = stored(RequestStatus.SUCCEEDED, 1, "{}", null);
        Intent other = new Intent("refunds", "", new IdempotencyKey("key"));

        assertThatIllegalStateException()
                .isThrownBy(() -> stored.answerTo(
                        Requests.of(other, FINGERPRINT, Duration.ofDays(1), null, Duration.ofSeconds(1), false, null)))
                .withMessageContaining("scope 'payments'")
                .withMessageContaining("scope 'refunds'");
    }

    private static Kind kindFor(StoredRequest stored, ClaimRequest request) {
        ClaimResult result = stored.answerTo(request);
        return result == null ? stored.kindOfReclaim() : result.kind();
    }

    private static StoredRequest stored(
            RequestStatus status, int attempt, @Nullable String response, @Nullable Long leaseLeft) {
        return new StoredRequest(
                INTENT,
                FINGERPRINT,
                status,
                attempt,
                response,
                null,
                null,
                leaseLeft == null ? null : TOKEN,
                false,
                leaseLeft == null ? null : Duration.ofMillis(leaseLeft));
    }

    private static ClaimRequest request(Fingerprint fingerprint, @Nullable Lease lease) {
        return Requests.of(INTENT, fingerprint, Duration.ofDays(1), null, Duration.ofSeconds(1), false, lease);
    }
}
