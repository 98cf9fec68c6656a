package io.idempotency.sample.cluster;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
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
 * A history and the final state that belongs to it, made up from a seed. Faults are planted by doing what a broken
 * application would have done, or by changing what was derived.
 */
final class InventedRun {

    static final String ALICE = "alice";

    static final String BOB = "bob";

    private static final String CAROL = "carol";

    private static final List<String> ACCOUNTS = List.of(ALICE, BOB, CAROL);

    private static final List<Operation> OPERATIONS =
            List.of(Operation.PAYMENT, Operation.DEPOSIT, Operation.WITHDRAWAL, Operation.PAYOUT);

    private static final long OPENING_CENTS = 100_000;

    final List<Attempt> attempts = new ArrayList<>();

    final List<Event> events = new ArrayList<>();

    final List<RecordedFailure> failures = new ArrayList<>();

    final List<Transfer> transfers = new ArrayList<>();

    final List<Delivery> deliveries = new ArrayList<>();

    private final Set<InvoiceEvent> handled = new LinkedHashSet<>();

    static final Outcome HANDLED = Outcome.acknowledged(204, null, "");

    private final Map<String, Balance> balances = new TreeMap<>();

    private final Random random;

    private int commands;

    private InventedRun(long seed) {
        random = new Random(seed);
        open(ALICE);
        open(BOB);
        open(CAROL);
    }

    /** In which every promise is kept. */
    static InventedRun correct(long seed) {
        InventedRun run = new InventedRun(seed);
        for (int i = 0; i < 80; i++) {
            run.step();
        }
        return run;
    }

    private void step() {
        Operation operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
        String accountId = ACCOUNTS.get(random.nextInt(ACCOUNTS.size()));
        boolean versioned = operation != Operation.PAYMENT && operation != Operation.PAYOUT && random.nextInt(3) == 0;
        Command command = command(
                operation,
                accountId,
                1 + random.nextInt(100),
                versioned ? balance(accountId).version() : null);
        switch (random.nextInt(8)) {
            case 0 -> refuse(command);
            case 1 -> fail(command);
            case 2 -> lose(command);
            default -> succeed(command);
        }
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

    /** After some attempts without an answer, and answered more than once. */
    Command succeed(Command command) {
        loseAnswers(command);
        Event event = apply(command);
        if (command.operation() == Operation.PAYOUT) {
            transfer(command);
        }
        Outcome answer = answer(command, event);
        met(command, answer);
        while (random.nextInt(3) == 0) {
            met(command, answer);
        }
        if (command.operation() == Operation.PAYMENT && random.nextBoolean()) {
            tellOfInvoice(event.paymentId());
        }
        return command;
    }

    /** A version conflict where a version was given, otherwise only in progress, and given up. */
    private void refuse(Command command) {
        if (command.expectedVersion() == null) {
            met(command, Outcome.refused(409, SampleApi.IN_PROGRESS, "{}"));
            met(command, Outcome.refused(500, "Internal error", "{}"));
        } else {
            met(command, Outcome.refused(409, SampleApi.VERSION_CONFLICT, "{}"));
        }
    }

    Command fail(Command command) {
        loseAnswers(command);
        if (command.operation() == Operation.PAYOUT && random.nextBoolean()) {
            apply(command);
            putBack(command);
        }
        met(command, Outcome.refused(422, SampleApi.INSUFFICIENT_FUNDS, "{}"));
        met(command, Outcome.refused(422, SampleApi.INSUFFICIENT_FUNDS, "{}"));
        recordFailure(command);
        return command;
    }

    /** Nobody answers; what was done is anybody's guess. */
    Command lose(Command command) {
        met(command, Outcome.unknown("timeout"));
        if (random.nextBoolean()) {
            apply(command);
            if (command.operation() == Operation.PAYOUT && random.nextBoolean()) {
                transfer(command);
            }
        }
        return command;
    }

    private void tellOfInvoice(UUID paymentId) {
        InvoiceEvent paid = new InvoiceEvent(InvoiceEvent.PAID, paymentId);
        InvoiceEvent finalized = new InvoiceEvent(InvoiceEvent.FINALIZED, paymentId);
        for (InvoiceEvent event : List.of(paid, finalized, paid)) {
            switch (random.nextInt(4)) {
                case 0 -> deliver(event, Outcome.unknown("timeout"), random.nextBoolean());
                case 1 -> deliver(event, Outcome.refused(409, "Message in progress", "{}"), false);
                default -> deliver(event, HANDLED, true);
            }
        }
    }

    void deliver(InvoiceEvent event, Outcome outcome, boolean isHandled) {
        deliveries.add(new Delivery(event, outcome));
        if (isHandled) {
            handled.add(event);
        }
    }

    /** And acknowledged, of a payment of its own. */
    InvoiceEvent deliver(String type) {
        Command payment = command(Operation.PAYMENT, ALICE, 10, null);
        met(payment, Outcome.unknown("timeout"));
        InvoiceEvent event = new InvoiceEvent(type, apply(payment).paymentId());
        deliver(event, HANDLED, true);
        return event;
    }

    private void loseAnswers(Command command) {
        while (random.nextInt(3) == 0) {
            met(command, Outcome.unknown("timeout"));
        }
    }

    void met(Command command, Outcome outcome) {
        attempts.add(new Attempt(
                attempts.size(),
                random.nextInt(8),
                command,
                "instance-0",
                Instant.EPOCH,
                Instant.EPOCH,
                outcome,
                false));
    }

    Event apply(Command command) {
        return add(
                command.accountId(),
                command.operation().eventType(),
                command.operation().signed(command.amountCents()),
                command.operation() == Operation.PAYMENT ? uuid() : null,
                command.operation().scope(),
                command.key());
    }

    void putBack(Command payout) {
        add(
                payout.accountId(),
                Event.PAYOUT_RETURNED,
                payout.amountCents(),
                null,
                payout.operation().scope(),
                payout.key());
    }

    void transfer(Command payout) {
        transfers.add(new Transfer(payout.transferKey(), payout.accountId(), payout.amountCents()));
    }

    void recordFailure(Command command) {
        failures.add(new RecordedFailure(command.operation().scope(), command.key(), "insufficient_funds"));
    }

    /** Two are there from the start, the third is opened by a client. */
    private void open(String accountId) {
        balances.put(accountId, new Balance(accountId, 0, 0));
        if (accountId.equals(CAROL)) {
            succeed(command(Operation.OPENING, accountId, OPENING_CENTS, null));
        } else {
            add(accountId, Event.OPENED, OPENING_CENTS, null, null, null);
        }
    }

    void open(String accountId, String scope, String key) {
        balances.put(accountId, new Balance(accountId, 0, 0));
        add(accountId, Event.OPENED, OPENING_CENTS, null, scope, key);
    }

    Event add(String accountId, String type, long amountCents, UUID paymentId, String scope, String key) {
        Balance before = balance(accountId);
        Balance after = new Balance(accountId, before.version() + 1, before.balanceCents() + amountCents);
        Event event = new Event(
                uuid(), accountId, after.version(), type, amountCents, after.balanceCents(), paymentId, scope, key);
        events.add(event);
        balances.put(accountId, after);
        return event;
    }

    void skipVersion(String accountId) {
        Balance before = balance(accountId);
        balances.put(accountId, new Balance(accountId, before.version() + 1, before.balanceCents()));
    }

    private Balance balance(String accountId) {
        return balances.get(accountId);
    }

    private UUID uuid() {
        return new UUID(random.nextLong(), random.nextLong());
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
