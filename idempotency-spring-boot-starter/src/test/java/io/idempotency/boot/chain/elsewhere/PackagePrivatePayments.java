package io.idempotency.boot.chain.elsewhere;

import io.idempotency.Idempotent;

/** Its method is seen in this package only, and a proxy of a subclass is in another. */
public class PackagePrivatePayments {

    @Idempotent(scope = "elsewhere", key = "#key")
    String pay(String key) {
        return key;
    }
}
