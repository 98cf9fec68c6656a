package io.idempotency.sample.cluster;

import java.util.UUID;

/** What a payment provider tells of the invoice for a payment, any number of times. */
record InvoiceEvent(String type, UUID paymentId) {

    static final String FINALIZED = "invoice.finalized";

    /** Settles the payment. */
    static final String PAID = "invoice.paid";

    String eventId() {
        return "evt_" + type + "_" + paymentId;
    }

    String invoiceId() {
        return "in_" + paymentId;
    }

    String status() {
        return isPaid() ? "paid" : "open";
    }

    boolean isPaid() {
        return type.equals(PAID);
    }
}
