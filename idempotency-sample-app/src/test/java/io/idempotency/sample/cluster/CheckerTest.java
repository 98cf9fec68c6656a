package io.idempotency.sample.cluster;

import java.util.EnumSet;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import io.idempotency.sample.cluster.FinalState.Balance;
import io.idempotency.sample.cluster.FinalState.DailyTotals;
import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.FinalState.Invoice;
import io.idempotency.sample.cluster.FinalState.KeptWebhook;
import io.idempotency.sample.cluster.FinalState.Message;
import io.idempotency.sample.cluster.FinalState.Notification;
import io.idempotency.sample.cluster.FinalState.Payment;
import io.idempotency.sample.cluster.FinalState.Receipt;
import io.idempotency.sample.cluster.FinalState.Settlement;
import io.idempotency.sample.cluster.FinalState.Transfer;
import io.idempotency.sample.cluster.Violation.Rule;

import static io.idempotency.sample.cluster.InventedRun.ALICE;
import static io.idempotency.sample.cluster.InventedRun.BOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Each kind of fault is planted in a history that is otherwise correct: the checker finds it, and nothing else. */
@Tag("full")
class CheckerTest {

    private final InventedRun run = new InventedRun();

    @Test
    void findsNothingWhereAllIsWell() {
        assertThat(check(run.state())).isEmpty();
        assertThat(Checker.unrecordedFailures(run.attempts, run.state())).isEmpty();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("brokenApplications")
    void findsWhatABrokenApplicationDid(Rule rule, String what, Consumer<InventedRun> fault) {
        fault.accept(run);

        assertThat(check(run.state())).isNotEmpty().allMatch(violation -> violation.rule() == rule);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("wrongStates")
    void findsWhatIsWrongInTheEnd(Rule rule, String what, Consumer<FinalState> fault) {
        FinalState state = run.state();
        fault.accept(state);

        assertThat(check(state)).isNotEmpty().allMatch(violation -> violation.rule() == rule);
    }

    @Test
    void hasAFaultForEachRule() {
        assertThat(Stream.concat(brokenApplications(), wrongStates())
                        .map(fault -> fault.get()[0])
                        .collect(Collectors.toSet()))
                .isEqualTo(EnumSet.allOf(Rule.class));
    }

    /** Which is no violation: the record may have been struck by a fault. */
    @Test
    void tellsFailuresThatAreNotRecorded() {
        Command command = run.met(run.deposit(), InventedRun.FAILED);

        assertThat(check(run.state())).isEmpty();
        assertThat(Checker.unrecordedFailures(run.attempts, run.state()))
                .extracting(Intent::command)
                .containsExactly(command);
    }

    private List<Violation> check(FinalState state) {
        return Checker.check(run.attempts, run.deliveries, state);
    }

    private static Arguments fault(Rule rule, String what, Consumer<InventedRun> fault) {
        return arguments(rule, what, fault);
    }

    private static Arguments inState(Rule rule, String what, Consumer<FinalState> fault) {
        return arguments(rule, what, fault);
    }

    private static Stream<Arguments> brokenApplications() {
        Rule equal = Rule.ANSWERS_OF_A_KEY_ARE_EQUAL;
        Rule asAsked = Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED;
        Rule askedFor = Rule.EFFECT_WAS_ASKED_FOR;
        Rule reason = Rule.REFUSAL_HAS_A_REASON;
        Rule payout = Rule.PAYOUT_IS_WITHDRAWN_AND_TRANSFERRED;
        return Stream.of(
                fault(equal, "a repeat has another body", run -> run.answered(run.succeed(run.deposit()), "{}")),
                fault(equal, "a failure is repeated in other words", run -> {
                    Outcome other = Outcome.refused(422, SampleApi.INSUFFICIENT_FUNDS, "{\"detail\":\"other\"}");
                    run.met(run.fail(run.deposit()), other);
                }),
                fault(
                        Rule.ACKNOWLEDGED_HAS_ITS_EFFECT,
                        "an acknowledged command was lost",
                        run -> run.answered(run.deposit(), "{\"accountId\":\"alice\"}")),
                fault(
                        Rule.EFFECT_AT_MOST_ONCE,
                        "an acknowledged command was executed twice",
                        run -> run.apply(run.succeed(run.deposit()))),
                fault(
                        Rule.RECORDED_FAILURE_HAS_NO_EFFECT,
                        "a failed command was executed",
                        run -> run.apply(run.fail(run.deposit()))),
                fault(
                        asAsked,
                        "another amount",
                        run -> run.apply(
                                new Command(run.lost(run.deposit()).key(), Operation.DEPOSIT, ALICE, 11, null))),
                fault(
                        asAsked,
                        "another account",
                        run -> run.apply(new Command(run.lost(run.deposit()).key(), Operation.DEPOSIT, BOB, 10, null))),
                fault(
                        asAsked,
                        "another operation",
                        run -> run.apply(
                                new Command(run.lost(run.deposit()).key(), Operation.WITHDRAWAL, ALICE, 10, null))),
                fault(
                        asAsked,
                        "another version than expected",
                        run -> run.apply(run.lost(run.command(Operation.DEPOSIT, ALICE, 10, 1L)))),
                fault(asAsked, "another scope in the audit", run -> {
                    run.add(
                            ALICE,
                            "deposited",
                            10,
                            null,
                            "withdrawals",
                            run.lost(run.deposit()).key());
                }),
                fault(asAsked, "another event than answered", run -> {
                    run.apply(run.answered(run.deposit(), "{\"eventId\":\"" + UUID.randomUUID() + "\"}"));
                }),
                fault(asAsked, "another payment than answered", run -> {
                    Command payment = run.command(Operation.PAYMENT, ALICE, 10, null);
                    run.apply(run.answered(payment, "{\"paymentId\":\"" + UUID.randomUUID() + "\"}"));
                }),
                fault(asAsked, "another balance than answered", run -> {
                    run.apply(run.answered(run.deposit(), "{\"balanceCents\":1}"));
                }),
                fault(askedFor, "an event has a key that nobody sent", run -> run.apply(run.deposit())),
                fault(askedFor, "an event has no key", run -> run.add(ALICE, "deposited", 10, null, null, null)),
                fault(askedFor, "an account was opened, and nobody knows by whom", run -> run.open("mallory")),
                fault(askedFor, "a failure has a key that nobody sent", run -> run.recordFailure(run.deposit())),
                fault(askedFor, "the provider was asked for what nobody sent", run -> {
                    run.transfers.add(new Transfer("nobody's", ALICE, 10));
                }),
                fault(reason, "a key is called reused that was not", run -> {
                    run.met(run.deposit(), Outcome.refused(422, SampleApi.KEY_REUSED, "{}"));
                }),
                fault(reason, "a conflict without an expected version", run -> {
                    run.met(run.deposit(), Outcome.refused(409, SampleApi.VERSION_CONFLICT, "{}"));
                }),
                fault(reason, "a response that cannot be read", run -> {
                    run.met(run.deposit(), Outcome.refused(500, "The response cannot be read", "{}"));
                }),
                fault(reason, "a signature is called wrong that was not", run -> {
                    InvoiceEvent event = run.handled(InvoiceEvent.PAID);
                    run.deliveries.add(new Delivery(event, Outcome.refused(401, "Signature is not valid", "{}")));
                }),
                fault(payout, "acknowledged and not transferred", run -> {
                    Command acknowledged = run.payout();
                    run.met(acknowledged, InventedRun.answer(acknowledged, run.apply(acknowledged)));
                }),
                fault(payout, "transferred twice", run -> run.transfer(run.succeed(run.payout()), 10)),
                fault(payout, "transferred and put back", run -> run.putBack(run.succeed(run.payout()), 10)),
                fault(payout, "transferred and never withdrawn", run -> run.transfer(run.lost(run.payout()), 10)),
                fault(payout, "put back twice", run -> run.putBack(run.putBack(run.withdrawn(), 10), 10)),
                fault(payout, "refused and not put back", run -> {
                    run.recordFailure(run.met(run.withdrawn(), Outcome.refused(422, "Payout refused", "{}")));
                }),
                fault(asAsked, "another amount transferred", run -> run.transfer(run.withdrawn(), 11)),
                fault(asAsked, "another amount put back", run -> run.putBack(run.withdrawn(), 11)),
                fault(asAsked, "another scope in the audit of what was put back", run -> {
                    run.add(
                            ALICE,
                            Event.PAYOUT_RETURNED,
                            10,
                            null,
                            "deposits",
                            run.withdrawn().key());
                }),
                fault(Rule.VERSIONS_HAVE_NO_GAP, "a version is missing", run -> {
                    run.skipVersion(ALICE);
                    run.succeed(run.deposit());
                }),
                fault(Rule.BALANCE_IS_NOT_NEGATIVE, "more was withdrawn than was there", run -> {
                    run.succeed(run.command(Operation.WITHDRAWAL, ALICE, 10_000_000, null));
                }),
                fault(Rule.BALANCE_IS_SUM_OF_EVENTS, "an event has another balance", run -> {
                    Event event = run.apply(run.lost(run.deposit()));
                    run.events.replaceAll(other -> other.equals(event) ? withBalance(event, 1) : other);
                }),
                fault(Rule.WEBHOOK_IS_HANDLED_ONCE, "an acknowledged webhook was lost", run -> {
                    UUID payment = run.handled(InvoiceEvent.PAID).paymentId();
                    run.deliveries.add(
                            new Delivery(new InvoiceEvent(InvoiceEvent.FINALIZED, payment), InventedRun.HANDLED));
                }));
    }

    private static Event withBalance(Event event, long balanceCents) {
        return new Event(
                event.eventId(),
                event.accountId(),
                event.version(),
                event.type(),
                event.amountCents(),
                balanceCents,
                event.paymentId(),
                event.scope(),
                event.key());
    }

    private static Stream<Arguments> wrongStates() {
        Rule written = Rule.PAYMENT_IS_WRITTEN_WITH_ITS_EVENT;
        Rule settled = Rule.PAYMENT_IS_SETTLED_IF_PAID;
        Rule projected = Rule.PROJECTION_FOLLOWS_EVENTS;
        return Stream.of(
                inState(
                        written,
                        "a payment has no row",
                        state -> state.payments().remove(0)),
                inState(
                        written,
                        "a payment has two rows",
                        state -> state.payments().add(state.payments().get(0))),
                inState(written, "a payment took nothing from any account", state -> {
                    state.payments().add(new Payment(UUID.randomUUID(), ALICE, 10, "free"));
                }),
                inState(Rule.CUSTOMER_IS_NOTIFIED_ONCE, "somebody was told of another payment", state -> {
                    state.notifications()
                            .replaceAll(
                                    told -> new Notification(told.paymentId(), told.accountId(), told.text() + " "));
                }),
                inState(Rule.WEBHOOK_IS_HANDLED_ONCE, "a webhook was handled twice", state -> {
                    state.webhooks().add(state.webhooks().get(0));
                }),
                inState(Rule.EFFECT_WAS_ASKED_FOR, "a webhook was handled that nobody sent", state -> {
                    state.webhooks().add(new KeptWebhook("evt_nobody's", InvoiceEvent.PAID));
                }),
                inState(Rule.INVOICE_NEVER_GOES_BACK, "invoices that were paid are open", state -> {
                    state.invoices().replaceAll(invoice -> new Invoice(invoice.invoiceId(), "open"));
                }),
                inState(
                        settled,
                        "no payment is settled",
                        state -> state.settlements().clear()),
                inState(settled, "a payment is settled twice", state -> {
                    state.settlements().add(state.settlements().get(0));
                }),
                inState(settled, "all payments are settled", state -> {
                    state.settlements().clear();
                    state.payments().forEach(payment -> state.settlements().add(new Settlement(payment.paymentId())));
                }),
                inState(Rule.BALANCE_IS_SUM_OF_EVENTS, "another balance is shown", state -> {
                    state.shown().replaceAll(CheckerTest::raised);
                }),
                inState(Rule.BALANCE_IS_SUM_OF_EVENTS, "one of two instances shows another balance", state -> {
                    state.shown().add(raised(state.shown().get(0)));
                }),
                inState(projected, "another balance is projected", state -> {
                    state.projected().replaceAll(CheckerTest::raised);
                }),
                inState(projected, "a deposit was counted twice", state -> {
                    state.totals().add(new DailyTotals(ALICE, 10, 0, 0));
                }),
                inState(projected, "a payment was counted as a withdrawal", state -> {
                    state.totals().add(new DailyTotals(ALICE, 0, -10, 10));
                }),
                inState(Rule.OUTBOX_IS_DRAINED, "a message is pending", state -> {
                    Message sent = state.outbox().get(0);
                    state.outbox()
                            .set(
                                    0,
                                    new Message(
                                            sent.messageId(),
                                            sent.topic(),
                                            sent.accountId(),
                                            "pending",
                                            sent.content()));
                }),
                inState(Rule.EVENT_IS_TOLD_ONCE, "a payment is not told", state -> {
                    state.outbox().remove(state.outbox().size() - 1);
                }),
                inState(Rule.EVENT_IS_TOLD_ONCE, "an event is told twice", state -> {
                    state.outbox().add(new Message("twice", Message.EVENTS, ALICE, Message.SENT, "twice"));
                }),
                inState(Rule.MESSAGE_HAS_ONE_CONTENT, "two messages have one id", state -> {
                    state.outbox().add(new Message("1", "others", ALICE, Message.SENT, "one"));
                    state.outbox().add(new Message("1", "others", ALICE, Message.SENT, "another"));
                }),
                inState(Rule.MESSAGE_HAS_ONE_CONTENT, "consumers have handled two contents", state -> {
                    state.receipts()
                            .add(new Receipt(
                                    "daily-totals", state.receipts().get(0).messageId(), "another"));
                }));
    }

    private static Balance raised(Balance balance) {
        return new Balance(balance.accountId(), balance.version(), balance.balanceCents() + 1);
    }
}
