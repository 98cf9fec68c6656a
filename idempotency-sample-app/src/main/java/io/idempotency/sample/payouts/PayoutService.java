package io.idempotency.sample.payouts;

import java.util.Optional;
import java.util.UUID;

import org.springframework.stereotype.Service;

import io.idempotency.IdempotencyContext;
import io.idempotency.IdempotencyKey;
import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.KeyReusedException;
import io.idempotency.sample.accounts.InsufficientFundsException;
import io.idempotency.sample.provider.PaymentProvider;
import io.idempotency.sample.provider.Transfer;
import io.idempotency.sample.provider.TransferRefusedException;

/** Makes payouts. */
@Service
class PayoutService {

    private final AccountCommands accounts;

    private final Payouts payouts;

    private final PaymentProvider provider;

    PayoutService(AccountCommands accounts, Payouts payouts, PaymentProvider provider) {
        this.accounts = accounts;
        this.payouts = payouts;
        this.provider = provider;
    }

    /**
     * Takes the money from the account, has the provider send it, and remembers the answer, once for each key. No transaction
     * spans these steps, so each of them can be done again: whoever takes over from an attempt that died begins at the first,
     * and finds what was done by keys that are the same for every attempt.
     *
     * <p>Money is put back only if the provider has refused. Where it does not answer, the call fails, the money stays
     * where it is, and the next attempt with the key asks again.
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
        Payout payout = settle(call, withdraw(call, accountId, request.amountCents()));
        if (payout.status() == PayoutStatus.REFUSED) {
            accounts.putBack(call.downstreamKey("return"), payout);
            throw new PayoutRefusedException(payout.refusal());
        }
        return payout;
    }

    /**
     * A failed attempt leaves the key free for a corrected payload. That is too late once money has left the account, so an
     * amount or account that is not that of the attempts before is refused.
     */
    private Payout withdraw(IdempotencyContext call, String accountId, long amountCents) {
        UUID payoutId = UUID.fromString(call.downstreamKey("payout"));
        Optional<Payout> begun = payouts.find(payoutId);
        if (begun.isPresent()) {
            return begun.filter(payout -> payout.isFor(accountId, amountCents))
                    .orElseThrow(() -> new KeyReusedException(call.intent()));
        }
        accounts.withdraw(call.downstreamKey("withdrawal"), accountId, amountCents);
        return payouts.begin(payoutId, accountId, amountCents);
    }

    /** The provider's decision is written down before anything follows from it, and after that it is not asked again. */
    private Payout settle(IdempotencyContext call, Payout payout) {
        if (payout.status() != PayoutStatus.PENDING) {
            return payout;
        }
        try {
            Transfer transfer =
                    provider.transfer(call.downstreamKey("transfer"), payout.accountId(), payout.amountCents());
            return payouts.paid(payout.payoutId(), transfer.transferId());
        } catch (TransferRefusedException refusal) {
            return payouts.refused(payout.payoutId(), String.valueOf(refusal.getMessage()));
        }
    }
}
