package io.idempotency.sample.accounts;

import java.util.List;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyKey;
import io.idempotency.Idempotent;

/**
 * Takes commands, each once for its key. A version conflict leaves the key free, because whoever looks again may ask again;
 * that there was not enough money is the answer for good, even though money may come.
 */
@Service
class AccountService {

    private static final int PAGE = 100;

    private final Accounts accounts;

    private final AccountEvents events;

    AccountService(Accounts accounts, AccountEvents events) {
        this.accounts = accounts;
        this.events = events;
    }

    @Transactional
    @Idempotent(
            scope = "account-openings",
            key = "#key",
            fingerprint = "#request",
            resultType = "account_event",
            resultId = "#result.eventId")
    AccountEvent open(IdempotencyKey key, OpeningRequest request) {
        return accounts.open(request.accountId(), request.amountCents());
    }

    @Transactional
    @Idempotent(
            scope = "deposits",
            key = "#key",
            fingerprint = "{#accountId, #request}",
            resultType = "account_event",
            resultId = "#result.eventId")
    AccountEvent deposit(IdempotencyKey key, String accountId, AmountRequest request) {
        return accounts.record(request.toCommand(accountId, AccountEventType.DEPOSITED));
    }

    @Transactional
    @Idempotent(
            scope = "withdrawals",
            key = "#key",
            fingerprint = "{#accountId, #request}",
            finalFailures = InsufficientFundsException.class,
            resultType = "account_event",
            resultId = "#result.eventId")
    AccountEvent withdraw(IdempotencyKey key, String accountId, AmountRequest request) {
        return accounts.record(request.toCommand(accountId, AccountEventType.WITHDRAWN));
    }

    Account get(String accountId) {
        return accounts.get(accountId);
    }

    AccountEvent getEvent(String accountId, long version) {
        accounts.requireExists(accountId);
        return events.find(accountId, version).orElseThrow(() -> new EventNotFoundException(accountId, version));
    }

    List<AccountEvent> findEventsAfter(String accountId, long version) {
        accounts.requireExists(accountId);
        return events.findAfter(accountId, version, PAGE);
    }
}
