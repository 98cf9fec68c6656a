package io.idempotency.sample.cluster;

/** One attempt to tell of an invoice. */
record Delivery(InvoiceEvent event, Outcome outcome) {}
