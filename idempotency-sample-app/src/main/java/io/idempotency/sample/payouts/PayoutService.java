package io.idempotency.sample.payouts;

import java.util.Optional;
import java.util.UUID;

import org.springframework.stereotype.Service;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.KeyReusedException;
import io.idempotency.sample.accounts.AccountCommand;
import io.idempotency.sample.accounts.AccountEventType;
import io.idempotency.sample.accounts.Accounts;
import io.idempotency.sample.accounts.InsufficientFundsException;
import io.idempotency.sample.provider.PaymentProvider;
import io.idempotency.sample.provider.TransferRefusedException;

import static java.util.Objects.requireNonNull;

/** Makes payouts. */
@Service
class PayoutService {

    private final Accounts accounts;

    private final Payouts payouts;

    private final PaymentProvider provider;

    PayoutService(Accounts accounts, Payouts payouts, PaymentProvider provider) {
        this.accounts = accounts;
        this.payouts = payouts;
        this.provider = provider;
    }

    /**
     * Takes the money from the account, has the provider send it, and books its decision, once for each key. An attempt that
     * takes over from one that died gets the results of the steps that are recorded, and continues with the next step.
     *
     * <p>Money is put back only if the provider has refused. If the provider does not answer, the call fails, the money stays
     * where it is, and the next attempt asks again with the same downstream key.
     */
    @Idempotent(
            scope = "payouts",
            key = "#key",
            fingerprint = "{#accountId, #request}",
            mode = IdempotencyMode.LEASED,
            lease = "${sample.payouts.lease}",
            finalFailures = {InsufficientFundsException.class, PayoutRefusedException.class},
            resultType = "payout",
            resultId = "#result.payoutId")
    Payout pay(IdempotencyKey key, String accountId, PayoutRequest request) {
        IdempotencyContext call = IdempotencyContext.current();
        Payout begun = requireNonNull(call.stepInTransaction(
                "withdraw", Payout.class, () -> withdraw(call, accountId, request.amountCents())));
        Payout decided =
                requireNonNull(call.step("transfer", Payout.class, () -> transfer(call.downstreamKey(), begun)));
        call.stepInTransaction("book", () -> book(decided));
        if (decided.status() == PayoutStatus.REFUSED) {
            throw new PayoutRefusedException(decided.refusal());
        }
        return decided;
    }

    /** A key that is repeated after its retention is new for the library, but its payout is known here. */
    private Payout withdraw(IdempotencyContext call, String accountId, long amountCents) {
        UUID payoutId = UUID.fromString(call.downstreamKey("payout"));
        Optional<Payout> known = payouts.find(payoutId);
        if (known.isPresent()) {
            return known.filter(payout -> payout.isFor(accountId, amountCents))
                    .orElseThrow(() -> new KeyReusedException(call.intent()));
        }
        accounts.record(AccountCommand.of(accountId, AccountEventType.PAYOUT, amountCents));
        return payouts.begin(payoutId, accountId, amountCents);
    }

    /** A refusal is a result and no exception, because the next step follows from it in every attempt. */
    private Payout transfer(String key, Payout payout) {
        if (payout.status() != PayoutStatus.PENDING) {
            return payout;
        }
        try {
            return payout.paid(provider.transfer(key, payout.accountId(), payout.amountCents())
                    .transferId());
        } catch (TransferRefusedException refusal) {
            return payout.refused(String.valueOf(refusal.getMessage()));
        }
    }

    private void book(Payout decided) {
        if (payouts.decide(decided) && decided.status() == PayoutStatus.REFUSED) {
            accounts.record(
                    AccountCommand.of(decided.accountId(), AccountEventType.PAYOUT_RETURNED, decided.amountCents()));
        }
    }
}
