package io.idempotency.sample.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import io.idempotency.sample.cluster.FinalState.Invoice;
import io.idempotency.sample.cluster.FinalState.KeptWebhook;
import io.idempotency.sample.cluster.FinalState.Payment;
import io.idempotency.sample.cluster.FinalState.Settlement;
import io.idempotency.sample.cluster.Violation.Rule;

/** What the sender of webhooks was told is true, whatever the order in which they came, and how often. */
final class WebhookRules {

    private final Violations violations;

    WebhookRules(Violations violations) {
        this.violations = violations;
    }

    void check(List<Delivery> deliveries, FinalState state) {
        Set<InvoiceEvent> sent = deliveries.stream().map(Delivery::event).collect(Collectors.toSet());
        Set<InvoiceEvent> acknowledged = deliveries.stream()
                .filter(delivery -> delivery.outcome().isAcknowledged())
                .map(Delivery::event)
                .collect(Collectors.toSet());
        checkRefusals(deliveries);
        checkKept(sent, acknowledged, state);
        checkInvoices(acknowledged, state);
        checkSettlements(sent, acknowledged, state);
    }

    private void checkRefusals(List<Delivery> deliveries) {
        deliveries.stream()
                .filter(delivery -> delivery.outcome().isRefused())
                .forEach(delivery -> violations.require(
                        SampleApi.isToComeAgain(delivery.outcome()),
                        Rule.REFUSAL_HAS_A_REASON,
                        delivery.event(),
                        delivery.outcome()));
    }

    private void checkKept(Set<InvoiceEvent> sent, Set<InvoiceEvent> acknowledged, FinalState state) {
        Map<String, Long> kept =
                state.webhooks().stream().collect(Collectors.groupingBy(KeptWebhook::eventId, Collectors.counting()));
        for (InvoiceEvent event : sent) {
            long times = kept.getOrDefault(event.eventId(), 0L);
            violations.require(
                    times == 1 || (times == 0 && !acknowledged.contains(event)),
                    Rule.WEBHOOK_IS_HANDLED_ONCE,
                    event,
                    acknowledged.contains(event) ? "acknowledged" : "without an answer",
                    times);
        }
        Set<String> ids = sent.stream().map(InvoiceEvent::eventId).collect(Collectors.toSet());
        kept.keySet().forEach(id -> violations.require(ids.contains(id), Rule.EFFECT_WAS_ASKED_FOR, id));
    }

    private void checkInvoices(Set<InvoiceEvent> acknowledged, FinalState state) {
        Map<String, String> statuses =
                state.invoices().stream().collect(Collectors.toMap(Invoice::invoiceId, Invoice::status));
        acknowledged.stream()
                .filter(InvoiceEvent::isPaid)
                .forEach(event -> violations.require(
                        event.status().equals(statuses.get(event.invoiceId())),
                        Rule.INVOICE_NEVER_GOES_BACK,
                        event,
                        statuses.get(event.invoiceId())));
    }

    private void checkSettlements(Set<InvoiceEvent> sent, Set<InvoiceEvent> acknowledged, FinalState state) {
        Set<UUID> settled = new HashSet<>();
        for (Settlement settlement : state.settlements()) {
            violations.require(
                    settled.add(settlement.paymentId()), Rule.PAYMENT_IS_SETTLED_IF_PAID, settlement.paymentId());
        }
        Set<UUID> payments = state.payments().stream().map(Payment::paymentId).collect(Collectors.toSet());
        payments.addAll(settled);
        for (UUID payment : payments) {
            InvoiceEvent paid = new InvoiceEvent(InvoiceEvent.PAID, payment);
            boolean asTold = settled.contains(payment) ? sent.contains(paid) : !acknowledged.contains(paid);
            violations.require(
                    asTold,
                    Rule.PAYMENT_IS_SETTLED_IF_PAID,
                    payment,
                    settled.contains(payment) ? "settled" : "completed",
                    acknowledged.contains(paid) ? "acknowledged as paid" : "not acknowledged as paid");
        }
    }
}
