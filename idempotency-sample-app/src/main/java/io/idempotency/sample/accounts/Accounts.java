package io.idempotency.sample.accounts;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyContext;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

/** Lets things happen to accounts. */
@Component
public class Accounts {

    private final AccountEvents events;

    private final AuditTrail audit;

    private final Outbox outbox;

    Accounts(AccountEvents events, AuditTrail audit, Outbox outbox) {
        this.events = events;
        this.audit = audit;
        this.outbox = outbox;
    }

    /**
     * Checks that there is such an account.
     *
     * @throws UnknownAccountException if there is none
     */
    public void requireExists(String accountId) {
        get(accountId);
    }

    Account get(String accountId) {
        return events.findLast(accountId).orElseThrow(() -> new UnknownAccountException(accountId));
    }

    /** Makes an account, with its first event. */
    @Transactional(propagation = Propagation.MANDATORY)
    AccountEvent open(String accountId, long amountCents) {
        if (!events.open(accountId)) {
            throw new AccountExistsException(accountId);
        }
        return append(AccountCommand.of(accountId, AccountEventType.OPENED, amountCents), new Account(accountId, 0, 0));
    }

    /**
     * Records what a command makes happen, which idempotent call asked for it, and the message that tells others, in the
     * transaction of that call. The account stays locked until the commit, so the messages of an account are published in
     * the order of its events.
     *
     * @param command what is to happen
     * @return what happened
     * @throws UnknownAccountException if there is no such account
     * @throws VersionConflictException if the command expects another version than the newest
     * @throws InsufficientFundsException if the account does not hold that much
     * @throws IllegalStateException if no idempotent call is running
     */
    @Transactional(propagation = Propagation.MANDATORY)
    public AccountEvent record(AccountCommand command) {
        if (!events.lock(command.accountId())) {
            throw new UnknownAccountException(command.accountId());
        }
        Account last = get(command.accountId());
        Long expected = command.expectedVersion();
        if (expected != null && expected != last.version()) {
            throw new VersionConflictException(command.accountId(), expected, last.version());
        }
        if (last.balanceCents() + command.changeCents() < 0) {
            throw new InsufficientFundsException(command.accountId(), command.amountCents());
        }
        return append(command, last);
    }

    private AccountEvent append(AccountCommand command, Account last) {
        AccountEvent event = events.append(command, last);
        audit.add(event, IdempotencyContext.current().intent());
        outbox.publish(OutboxMessage.of(AccountEvent.TOPIC, AccountEvent.MESSAGE_TYPE)
                .orderingKey(event.accountId())
                .aggregate("account", event.accountId())
                .payload(event)
                .build());
        return event;
    }
}
