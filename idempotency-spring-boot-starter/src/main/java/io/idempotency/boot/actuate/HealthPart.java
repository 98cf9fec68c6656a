package io.idempotency.boot.actuate;

import java.util.List;

/** What another part of the library adds to the health of its tables. */
@FunctionalInterface
public interface HealthPart {

    /**
     * Returns the health of this part. It is determined without a query.
     *
     * @return the details, in the order in which health shows them
     */
    List<HealthDetail> details();
}
