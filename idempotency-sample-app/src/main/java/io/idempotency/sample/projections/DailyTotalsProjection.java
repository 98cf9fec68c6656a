package io.idempotency.sample.projections;

import java.util.List;

import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.inbox.Inbox;
import io.idempotency.sample.accounts.AccountEvent;

/** What comes and goes a day. */
@Component
class DailyTotalsProjection implements Projection {

    static final String NAME = "daily-totals";

    private final Inbox inbox;

    private final DailyTotals totals;

    private final TransactionTemplate transaction;

    DailyTotalsProjection(Inbox inbox, DailyTotals totals, TransactionTemplate transaction) {
        this.inbox = inbox;
        this.totals = totals;
        this.transaction = transaction;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void deliver(int generation, AccountEvent event) {
        inbox.handleOnce(consumer(generation), id(event), () -> totals.add(generation, List.of(event)));
    }

    /** All are taken before the first row is locked, as a delivery does it with its one: they never lock each other out. */
    @Override
    public void replay(int generation, List<AccountEvent> events) {
        transaction.executeWithoutResult(status ->
                totals.add(generation, inbox.claimNew(consumer(generation), events, DailyTotalsProjection::id)));
    }

    @Override
    public Progress progress(int generation) {
        return totals.progress(generation);
    }

    @Override
    public void deleteBefore(int generation) {
        totals.deleteBefore(generation);
    }

    private static String consumer(int generation) {
        return NAME + "-" + generation;
    }

    private static String id(AccountEvent event) {
        return event.eventId().toString();
    }
}
