package io.idempotency.boot.chain;

/** What all the beans under test can do, whatever their annotations and proxies; carries none itself. */
interface PaymentService {

    Receipt pay(String key);
}
