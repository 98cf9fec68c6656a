package io.idempotency.sample.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

import io.idempotency.sample.cluster.FinalState.Balance;
import io.idempotency.sample.cluster.FinalState.DailyTotals;
import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.FinalState.Invoice;
import io.idempotency.sample.cluster.FinalState.KeptWebhook;
import io.idempotency.sample.cluster.FinalState.Message;
import io.idempotency.sample.cluster.FinalState.Notification;
import io.idempotency.sample.cluster.FinalState.Payment;
import io.idempotency.sample.cluster.FinalState.Receipt;
import io.idempotency.sample.cluster.FinalState.RecordedFailure;
import io.idempotency.sample.cluster.FinalState.Settlement;
import io.idempotency.sample.cluster.FinalState.Transfer;

/**
 * A history and the final state that belongs to it, in which every promise is kept. Faults are planted by doing what a broken
 * application would have done, or by changing what was derived.
 */
final class InventedRun {

    static final String ALICE = "alice";

    static final String BOB = "bob";

    static final Outcome HANDLED = Outcome.acknowledged(204, null, "");

    static final Outcome FAILED = Outcome.refused(422, SampleApi.INSUFFICIENT_FUNDS, "{}");

    private static final Outcome UNKNOWN = Outcome.unknown("timeout");

    private static final long OPENING_CENTS = 100_000;

    final List<Attempt> attempts = new ArrayList<>();

    final List<Event> events = new ArrayList<>();

    final List<RecordedFailure> failures = new ArrayList<>();

    final List<Transfer> transfers = new ArrayList<>();

    final List<Delivery> deliveries = new ArrayList<>();

    private final Set<InvoiceEvent> handled = new LinkedHashSet<>();

    private final Map<String, Balance> balances = new TreeMap<>();

    private int commands;

    InventedRun() {
        open(ALICE);
        open(BOB);
        succeed(command(Operation.OPENING, "carol", OPENING_CENTS, null));
        for (Operation operation :
                List.of(Operation.PAYMENT, Operation.DEPOSIT, Operation.WITHDRAWAL, Operation.PAYOUT)) {
            succeed(command(operation, BOB, 7, null));
            fail(command(operation, BOB, 7, null));
            lost(command(operation, BOB, 7, null));
            apply(lost(command(operation, BOB, 7, null)));
            Command givenUp = command(operation, BOB, 7, null);
            met(givenUp, Outcome.refused(409, SampleApi.IN_PROGRESS, "{}"));
            met(givenUp, Outcome.refused(500, "Internal error", "{}"));
        }
        succeed(command(Operation.DEPOSIT, ALICE, 7, balances.get(ALICE).version()));
        met(command(Operation.DEPOSIT, ALICE, 7, 1L), Outcome.refused(409, SampleApi.VERSION_CONFLICT, "{}"));
        transfer(withdrawn(), 10);
        fail(putBack(withdrawn(), 10));
        handled(InvoiceEvent.FINALIZED);
        InvoiceEvent paid = handled(InvoiceEvent.PAID);
        InvoiceEvent finalized = new InvoiceEvent(InvoiceEvent.FINALIZED, paid.paymentId());
        deliveries.add(new Delivery(paid, HANDLED));
        deliveries.add(new Delivery(finalized, UNKNOWN));
        deliveries.add(new Delivery(finalized, Outcome.refused(409, "Message in progress", "{}")));
    }

    Command command(Operation operation, String accountId, long amountCents, Long expectedVersion) {
        commands++;
        return new Command("key-" + commands, operation, accountId, amountCents, expectedVersion);
    }

    Command deposit() {
        return command(Operation.DEPOSIT, ALICE, 10, null);
    }

    Command payout() {
        return command(Operation.PAYOUT, ALICE, 10, null);
    }

    /** After an attempt without an answer, and answered twice. */
    Command succeed(Command command) {
        Event event = apply(lost(command));
        if (command.operation() == Operation.PAYOUT) {
            transfer(command, command.amountCents());
        }
        return met(met(command, answer(command, event)), answer(command, event));
    }

    Command fail(Command command) {
        met(met(lost(command), FAILED), FAILED);
        recordFailure(command);
        return command;
    }

    /** Nobody answers; what was done is anybody's guess. */
    Command lost(Command command) {
        return met(command, UNKNOWN);
    }

    Command answered(Command command, String body) {
        return met(command, Outcome.acknowledged(201, "/made", body));
    }

    /** A payout that nobody answered after its first step. */
    Command withdrawn() {
        Command payout = lost(payout());
        apply(payout);
        return payout;
    }

    /** And acknowledged, of a payment of its own. */
    InvoiceEvent handled(String type) {
        Command payment = lost(command(Operation.PAYMENT, ALICE, 10, null));
        InvoiceEvent event = new InvoiceEvent(type, apply(payment).paymentId());
        deliveries.add(new Delivery(event, HANDLED));
        handled.add(event);
        return event;
    }

    Command met(Command command, Outcome outcome) {
        attempts.add(
                new Attempt(attempts.size(), 0, command, "instance-0", Instant.EPOCH, Instant.EPOCH, outcome, false));
        return command;
    }

    Event apply(Command command) {
        return add(
                command.accountId(),
                command.operation().eventType(),
                command.operation().signed(command.amountCents()),
                command.operation() == Operation.PAYMENT ? UUID.randomUUID() : null,
                command.operation().scope(),
                command.key());
    }

    Command putBack(Command payout, long cents) {
        add(
                payout.accountId(),
                Event.PAYOUT_RETURNED,
                cents,
                null,
                payout.operation().scope(),
                payout.key());
        return payout;
    }

    void transfer(Command payout, long cents) {
        transfers.add(new Transfer(payout.transferKey(), payout.accountId(), cents));
    }

    void recordFailure(Command command) {
        failures.add(new RecordedFailure(command.operation().scope(), command.key(), "insufficient_funds"));
    }

    /** As an account is that was there from the start. */
    void open(String accountId) {
        add(accountId, Event.OPENED, OPENING_CENTS, null, null, null);
    }

    Event add(String accountId, String type, long amountCents, UUID paymentId, String scope, String key) {
        Balance before = balances.getOrDefault(accountId, new Balance(accountId, 0, 0));
        Balance after = new Balance(accountId, before.version() + 1, before.balanceCents() + amountCents);
        Event event = new Event(
                UUID.randomUUID(),
                accountId,
                after.version(),
                type,
                amountCents,
                after.balanceCents(),
                paymentId,
                scope,
                key);
        events.add(event);
        balances.put(accountId, after);
        return event;
    }

    void skipVersion(String accountId) {
        Balance before = balances.get(accountId);
        balances.put(accountId, new Balance(accountId, before.version() + 1, before.balanceCents()));
    }

    static Outcome answer(Command command, Event event) {
        String body = switch (command.operation()) {
            case PAYMENT ->
                "{\"paymentId\":\"%s\",\"accountId\":\"%s\",\"amountCents\":%d,\"status\":\"ACCEPTED\"}"
                        .formatted(event.paymentId(), event.accountId(), command.amountCents());
            case PAYOUT -> "{\"transferId\":\"%s\"}".formatted(event.eventId());
            default ->
                "{\"eventId\":\"%s\",\"accountId\":\"%s\",\"version\":%d,\"amountCents\":%d,\"balanceCents\":%d}"
                        .formatted(
                                event.eventId(),
                                event.accountId(),
                                event.version(),
                                command.amountCents(),
                                event.balanceCents());
        };
        return Outcome.acknowledged(201, "/made/" + event.eventId(), body);
    }

    FinalState state() {
        return new FinalState(
                List.copyOf(events),
                List.copyOf(failures),
                new ArrayList<>(balances.values()),
                new ArrayList<>(balances.values()),
                new ArrayList<>(balances.keySet().stream().map(this::totals).toList()),
                new ArrayList<>(Stream.concat(
                                changes().map(InventedRun::message), payments().map(InventedRun::paymentMessage))
                        .toList()),
                new ArrayList<>(changes().map(InventedRun::receipt).toList()),
                List.copyOf(transfers),
                new ArrayList<>(payments().map(Payment::of).toList()),
                new ArrayList<>(payments().map(Notification::of).toList()),
                new ArrayList<>(handled.stream()
                        .map(event -> new KeptWebhook(event.eventId(), event.type()))
                        .toList()),
                new ArrayList<>(handled.stream()
                        .map(InvoiceEvent::invoiceId)
                        .distinct()
                        .map(this::invoice)
                        .toList()),
                new ArrayList<>(handled.stream()
                        .filter(InvoiceEvent::isPaid)
                        .map(event -> new Settlement(event.paymentId()))
                        .toList()));
    }

    private Stream<Event> changes() {
        return events.stream().filter(event -> !event.isFirst());
    }

    private Stream<Event> payments() {
        return events.stream().filter(Event::isPayment);
    }

    private Invoice invoice(String invoiceId) {
        boolean isPaid = handled.stream()
                .anyMatch(event -> event.isPaid() && event.invoiceId().equals(invoiceId));
        return new Invoice(invoiceId, isPaid ? "paid" : "open");
    }

    private static Message paymentMessage(Event event) {
        return new Message(
                "payment " + event.eventId(),
                Message.PAYMENTS,
                event.accountId(),
                Message.SENT,
                "of payment " + event.paymentId());
    }

    private static Message message(Event event) {
        return new Message(
                event.eventId().toString(), Message.EVENTS, event.accountId(), Message.SENT, "of " + event.eventId());
    }

    private static Receipt receipt(Event event) {
        return new Receipt("account-balance", event.eventId().toString(), "hash of " + event.eventId());
    }

    private DailyTotals totals(String accountId) {
        long in = 0;
        long out = 0;
        long paid = 0;
        for (Event event : events) {
            if (!event.accountId().equals(accountId)) {
                continue;
            }
            if (event.isPayment()) {
                paid -= event.amountCents();
            } else if (event.amountCents() > 0) {
                in += event.amountCents();
            } else {
                out -= event.amountCents();
            }
        }
        return new DailyTotals(accountId, in, out, paid);
    }
}
