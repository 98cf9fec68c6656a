package io.idempotency.sample.cluster;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Each kind of fault is planted in histories that are otherwise correct: the checker finds it, and nothing else. */
@Tag("full")
class CheckerTest {

    private static final int SEEDS = 20;

    private static final int CORRECT_SEEDS = 300;

    @Test
    void findsNothingWhereAllIsWell() {
        for (int seed = 0; seed < CORRECT_SEEDS; seed++) {
            InventedRun run = InventedRun.correct(seed);

            assertThat(Checker.check(run.attempts, run.deliveries, run.state()))
                    .as("seed %d", seed)
                    .isEmpty();
            assertThat(Checker.unrecordedFailures(run.attempts, run.state())).isEmpty();
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource({"faultsInKeys", "faultsInPayouts", "faultsInAccounts", "faultsInWebhooks"})
    void findsWhatABrokenApplicationDid(Rule rule, String what, Consumer<InventedRun> fault) {
        for (int seed = 0; seed < SEEDS; seed++) {
            InventedRun run = InventedRun.correct(seed);
            fault.accept(run);

            assertOnly(rule, Checker.check(run.attempts, run.deliveries, run.state()), seed);
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource({"faultsInState", "faultsInPayments"})
    void findsWhatIsWrongInTheEnd(Rule rule, String what, Consumer<FinalState> fault) {
        for (int seed = 0; seed < SEEDS; seed++) {
            InventedRun run = InventedRun.correct(seed);
            FinalState state = run.state();
            fault.accept(state);

            assertOnly(rule, Checker.check(run.attempts, run.deliveries, state), seed);
        }
    }

    @Test
    void hasAFaultForEachRule() {
        Set<Object> planted = Stream.of(
                        faultsInKeys(),
                        faultsInPayouts(),
                        faultsInAccounts(),
                        faultsInWebhooks(),
                        faultsInState(),
                        faultsInPayments())
                .flatMap(faults -> faults)
                .map(fault -> fault.get()[0])
                .collect(Collectors.toSet());

        assertThat(planted).isEqualTo(EnumSet.allOf(Rule.class));
    }

    /** Which is no violation: the record may have been struck by a fault. */
    @Test
    void tellsFailuresThatAreNotRecorded() {
        InventedRun run = InventedRun.correct(1);
        Command command = run.deposit();
        run.met(command, Outcome.refused(422, SampleApi.INSUFFICIENT_FUNDS, "{}"));

        assertThat(Checker.check(run.attempts, run.deliveries, run.state())).isEmpty();
        assertThat(Checker.unrecordedFailures(run.attempts, run.state()))
                .extracting(Intent::command)
                .containsExactly(command);
    }

    private static void assertOnly(Rule rule, List<Violation> violations, int seed) {
        assertThat(violations).as("seed %d", seed).isNotEmpty().allMatch(violation -> violation.rule() == rule);
    }

    private static Arguments fault(Rule rule, String what, Consumer<InventedRun> fault) {
        return arguments(rule, what, fault);
    }

    private static Arguments inState(Rule rule, String what, Consumer<FinalState> fault) {
        return arguments(rule, what, fault);
    }

    private static Stream<Arguments> faultsInKeys() {
        return Stream.of(
                fault(Rule.ANSWERS_OF_A_KEY_ARE_EQUAL, "a repeat has another body", run -> {
                    Command command = run.succeed(run.deposit());
                    Outcome answer = lastAnswer(run);
                    run.met(command, Outcome.acknowledged(201, answer.location(), answer.body() + " "));
                }),
                fault(Rule.ANSWERS_OF_A_KEY_ARE_EQUAL, "a failure is repeated in other words", run -> {
                    Command command = run.fail(run.deposit());
                    run.met(command, Outcome.refused(422, SampleApi.INSUFFICIENT_FUNDS, "{\"detail\":\"other\"}"));
                }),
                fault(Rule.ACKNOWLEDGED_HAS_ITS_EFFECT, "an acknowledged command was lost", run -> {
                    Command command = run.deposit();
                    run.met(command, Outcome.acknowledged(201, "/nowhere", "{\"accountId\":\"alice\"}"));
                }),
                fault(
                        Rule.EFFECT_AT_MOST_ONCE,
                        "an acknowledged command was executed twice",
                        run -> run.apply(run.succeed(run.deposit()))),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "another amount", run -> {
                    Command command = run.deposit();
                    run.met(command, Outcome.unknown("timeout"));
                    run.apply(new Command(command.key(), Operation.DEPOSIT, InventedRun.ALICE, 11, null));
                }),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "another account", run -> {
                    Command command = run.deposit();
                    run.met(command, Outcome.unknown("timeout"));
                    run.apply(new Command(command.key(), Operation.DEPOSIT, InventedRun.BOB, 10, null));
                }),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "another operation", run -> {
                    Command command = run.deposit();
                    run.met(command, Outcome.unknown("timeout"));
                    run.apply(new Command(command.key(), Operation.WITHDRAWAL, InventedRun.ALICE, 10, null));
                }),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "another version than expected", run -> {
                    Command command = run.command(Operation.DEPOSIT, InventedRun.ALICE, 10, 1L);
                    run.succeed(run.deposit());
                    run.met(command, Outcome.unknown("timeout"));
                    run.apply(command);
                }),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "another event than answered", run -> {
                    Command command = run.deposit();
                    run.met(command, Outcome.acknowledged(201, "/x", "{\"eventId\":\"" + UUID.randomUUID() + "\"}"));
                    run.apply(command);
                }),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "another payment than answered", run -> {
                    Command command = run.command(Operation.PAYMENT, InventedRun.ALICE, 10, null);
                    run.met(command, Outcome.acknowledged(201, "/x", "{\"paymentId\":\"" + UUID.randomUUID() + "\"}"));
                    run.apply(command);
                }),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "another balance than answered", run -> {
                    Command command = run.deposit();
                    run.met(command, Outcome.acknowledged(201, "/x", "{\"balanceCents\":1}"));
                    run.apply(command);
                }),
                fault(
                        Rule.RECORDED_FAILURE_HAS_NO_EFFECT,
                        "a failed command was executed",
                        run -> run.apply(run.fail(run.deposit()))),
                fault(
                        Rule.EFFECT_WAS_ASKED_FOR,
                        "an event has a key that nobody sent",
                        run -> run.apply(run.deposit())),
                fault(
                        Rule.EFFECT_WAS_ASKED_FOR,
                        "an event has no key",
                        run -> run.add(InventedRun.ALICE, "deposited", 10, null, null, null)),
                fault(
                        Rule.EFFECT_WAS_ASKED_FOR,
                        "an account was opened, and nobody knows by whom",
                        run -> run.open("mallory", null, null)),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "an audit entry has another scope", run -> {
                    Command command = run.deposit();
                    run.met(command, Outcome.unknown("timeout"));
                    run.add(InventedRun.ALICE, "deposited", 10, null, "withdrawals", command.key());
                }),
                fault(
                        Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED,
                        "that of what was put back has another scope",
                        run -> {
                            Command payout = run.payout();
                            run.met(payout, Outcome.unknown("timeout"));
                            run.apply(payout);
                            run.add(payout.accountId(), Event.PAYOUT_RETURNED, 10, null, "deposits", payout.key());
                        }),
                fault(
                        Rule.EFFECT_WAS_ASKED_FOR,
                        "a failure has a key that nobody sent",
                        run -> run.recordFailure(run.deposit())),
                fault(
                        Rule.EFFECT_WAS_ASKED_FOR,
                        "the provider was asked for what nobody sent",
                        run -> run.transfers.add(new Transfer("nobody's", InventedRun.ALICE, 10))),
                fault(
                        Rule.REFUSAL_HAS_A_REASON,
                        "a key is called reused that was not",
                        run -> run.met(run.deposit(), Outcome.refused(422, SampleApi.KEY_REUSED, "{}"))),
                fault(
                        Rule.REFUSAL_HAS_A_REASON,
                        "a conflict without an expected version",
                        run -> run.met(run.deposit(), Outcome.refused(409, SampleApi.VERSION_CONFLICT, "{}"))),
                fault(
                        Rule.REFUSAL_HAS_A_REASON,
                        "a response that cannot be read",
                        run -> run.met(run.deposit(), Outcome.refused(500, "The response cannot be read", "{}"))));
    }

    private static Stream<Arguments> faultsInPayouts() {
        Rule rule = Rule.PAYOUT_IS_WITHDRAWN_AND_TRANSFERRED;
        return Stream.of(
                fault(rule, "acknowledged and not transferred", run -> {
                    Command payout = run.payout();
                    run.met(payout, InventedRun.answer(payout, run.apply(payout)));
                }),
                fault(rule, "transferred twice", run -> run.transfer(run.succeed(run.payout()))),
                fault(rule, "transferred and put back", run -> run.putBack(run.succeed(run.payout()))),
                fault(rule, "transferred and never withdrawn", run -> {
                    Command payout = run.payout();
                    run.met(payout, Outcome.unknown("timeout"));
                    run.transfer(payout);
                }),
                fault(rule, "put back twice", run -> {
                    Command payout = run.payout();
                    run.met(payout, Outcome.unknown("timeout"));
                    run.apply(payout);
                    run.putBack(payout);
                    run.putBack(payout);
                }),
                fault(rule, "refused and not put back", run -> {
                    Command payout = run.payout();
                    run.met(payout, Outcome.refused(422, "Payout refused", "{}"));
                    run.apply(payout);
                    run.recordFailure(payout);
                }),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "another amount transferred", run -> {
                    Command payout = run.payout();
                    run.met(payout, Outcome.unknown("timeout"));
                    run.apply(payout);
                    run.transfers.add(new Transfer(payout.transferKey(), payout.accountId(), 11));
                }),
                fault(Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, "another amount put back", run -> {
                    Command payout = run.payout();
                    run.met(payout, Outcome.unknown("timeout"));
                    run.apply(payout);
                    run.add(
                            payout.accountId(),
                            Event.PAYOUT_RETURNED,
                            11,
                            null,
                            payout.operation().scope(),
                            payout.key());
                }));
    }

    private static Stream<Arguments> faultsInAccounts() {
        return Stream.of(
                fault(Rule.VERSIONS_HAVE_NO_GAP, "a version is missing", run -> {
                    run.skipVersion(InventedRun.ALICE);
                    run.succeed(run.deposit());
                }),
                fault(Rule.BALANCE_IS_NOT_NEGATIVE, "more was withdrawn than was there", run -> {
                    Command all = run.command(Operation.WITHDRAWAL, InventedRun.ALICE, 10_000_000, null);
                    run.succeed(all);
                }),
                fault(Rule.BALANCE_IS_SUM_OF_EVENTS, "an event has another balance", run -> {
                    Command command = run.deposit();
                    run.met(command, Outcome.unknown("timeout"));
                    run.events.add(withBalance(run.apply(command), 1));
                    run.events.remove(run.events.size() - 2);
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

    private static Stream<Arguments> faultsInWebhooks() {
        return Stream.of(
                fault(Rule.REFUSAL_HAS_A_REASON, "a signature is called wrong that was not", run -> {
                    InvoiceEvent event = run.deliver(InvoiceEvent.PAID);
                    run.deliver(event, Outcome.refused(401, "Signature is not valid", "{}"), true);
                }),
                fault(Rule.WEBHOOK_IS_HANDLED_ONCE, "an acknowledged webhook was lost", run -> {
                    InvoiceEvent settled = run.deliver(InvoiceEvent.PAID);
                    run.deliver(
                            new InvoiceEvent(InvoiceEvent.FINALIZED, settled.paymentId()), InventedRun.HANDLED, false);
                }));
    }

    private static Stream<Arguments> faultsInPayments() {
        return Stream.of(
                inState(
                        Rule.PAYMENT_IS_WRITTEN_WITH_ITS_EVENT,
                        "a payment has no row",
                        state -> state.payments().remove(0)),
                inState(
                        Rule.PAYMENT_IS_WRITTEN_WITH_ITS_EVENT,
                        "a payment has two rows",
                        state -> state.payments().add(state.payments().get(0))),
                inState(
                        Rule.PAYMENT_IS_WRITTEN_WITH_ITS_EVENT,
                        "a payment took nothing from any account",
                        state -> state.payments().add(new Payment(UUID.randomUUID(), InventedRun.ALICE, 10, "free"))),
                inState(
                        Rule.CUSTOMER_IS_NOTIFIED_ONCE,
                        "somebody was told of another payment",
                        state -> state.notifications().replaceAll(CheckerTest::reworded)),
                inState(
                        Rule.WEBHOOK_IS_HANDLED_ONCE,
                        "a webhook was handled twice",
                        state -> state.webhooks().add(state.webhooks().get(0))),
                inState(
                        Rule.EFFECT_WAS_ASKED_FOR,
                        "a webhook was handled that nobody sent",
                        state -> state.webhooks().add(new KeptWebhook("evt_nobody's", InvoiceEvent.PAID))),
                inState(
                        Rule.INVOICE_NEVER_GOES_BACK,
                        "invoices that were paid are open",
                        state -> state.invoices().replaceAll(invoice -> new Invoice(invoice.invoiceId(), "open"))),
                inState(
                        Rule.PAYMENT_IS_SETTLED_IF_PAID,
                        "no payment is settled",
                        state -> state.settlements().clear()),
                inState(
                        Rule.PAYMENT_IS_SETTLED_IF_PAID,
                        "a payment is settled twice",
                        state -> state.settlements().add(state.settlements().get(0))),
                inState(Rule.PAYMENT_IS_SETTLED_IF_PAID, "all payments are settled", state -> {
                    state.settlements().clear();
                    state.payments().forEach(payment -> state.settlements().add(new Settlement(payment.paymentId())));
                }));
    }

    private static Notification reworded(Notification notification) {
        return new Notification(notification.paymentId(), notification.accountId(), notification.text() + " ");
    }

    private static Stream<Arguments> faultsInState() {
        return Stream.of(
                inState(
                        Rule.BALANCE_IS_SUM_OF_EVENTS,
                        "another balance is shown",
                        state -> state.shown().replaceAll(CheckerTest::raised)),
                inState(
                        Rule.PROJECTION_FOLLOWS_EVENTS,
                        "another balance is projected",
                        state -> state.projected().replaceAll(CheckerTest::raised)),
                inState(
                        Rule.PROJECTION_FOLLOWS_EVENTS,
                        "a deposit was counted twice",
                        state -> state.totals().add(new DailyTotals(InventedRun.ALICE, 10, 0, 0))),
                inState(
                        Rule.PROJECTION_FOLLOWS_EVENTS,
                        "a payment was counted as a withdrawal",
                        state -> state.totals().add(new DailyTotals(InventedRun.ALICE, 0, -10, 10))),
                inState(
                        Rule.OUTBOX_IS_DRAINED,
                        "a message is pending",
                        state -> state.outbox().set(0, withStatus(state.outbox().get(0), "pending"))),
                inState(
                        Rule.BALANCE_IS_SUM_OF_EVENTS,
                        "one of two instances shows another balance",
                        state -> state.shown().add(raised(state.shown().get(0)))),
                inState(
                        Rule.EVENT_IS_TOLD_ONCE,
                        "a payment is not told",
                        state -> state.outbox().remove(state.outbox().size() - 1)),
                inState(
                        Rule.EVENT_IS_TOLD_ONCE,
                        "an event is told twice",
                        state -> state.outbox()
                                .add(new Message("twice", Message.EVENTS, InventedRun.ALICE, Message.SENT, "twice"))),
                inState(Rule.MESSAGE_HAS_ONE_CONTENT, "two messages have one id", state -> {
                    state.outbox().add(new Message("1", "others", InventedRun.ALICE, Message.SENT, "one"));
                    state.outbox().add(new Message("1", "others", InventedRun.ALICE, Message.SENT, "another"));
                }),
                inState(Rule.MESSAGE_HAS_ONE_CONTENT, "consumers have handled two contents", state -> {
                    Receipt first = state.receipts().get(0);
                    state.receipts().add(new Receipt("daily-totals", first.messageId(), "another"));
                }));
    }

    private static Message withStatus(Message message, String status) {
        return new Message(message.messageId(), message.topic(), message.accountId(), status, message.content());
    }

    private static Outcome lastAnswer(InventedRun run) {
        return run.attempts.get(run.attempts.size() - 1).outcome();
    }

    private static Balance raised(Balance balance) {
        return new Balance(balance.accountId(), balance.version(), balance.balanceCents() + 1);
    }
}
