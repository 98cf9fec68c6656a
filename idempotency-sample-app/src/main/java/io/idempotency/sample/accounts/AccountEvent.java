package io.idempotency.sample.accounts;

import java.time.Instant;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to an account: the answer to a command, the response that its replays return, and what is told to
 * others.
 *
 * @param eventId the same wherever it is told
 * @param accountId whose event it is
 * @param version its place among the account's events, from 1 without a gap
 * @param type what happened
 * @param amountCents never negative; the type tells whether it came or went
 * @param balanceCents what it has left on the account
 * @param paymentId the payment that it was; {@code null} for all other types
 * @param occurredAt when it was recorded
 */
public record AccountEvent(
        UUID eventId,
        String accountId,
        long version,
        AccountEventType type,
        long amountCents,
        long balanceCents,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable UUID paymentId,
        Instant occurredAt) {

    /** Where events are told to others. */
    public static final String TOPIC = "account-events";

    /** Which messages tell them. */
    public static final String MESSAGE_TYPE = "AccountEventRecorded";

    /**
     * What it changed the balance by.
     *
     * @return cents, negative if they left
     */
    public long changeCents() {
        return type.signed(amountCents);
    }
}
