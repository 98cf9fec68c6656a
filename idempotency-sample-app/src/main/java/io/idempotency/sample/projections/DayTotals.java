package io.idempotency.sample.projections;

import java.time.LocalDate;

/** What came to an account and what left it on one day (UTC). */
record DayTotals(
        LocalDate day,
        long deposits,
        long depositedCents,
        long withdrawals,
        long withdrawnCents,
        long payments,
        long paidCents) {}
