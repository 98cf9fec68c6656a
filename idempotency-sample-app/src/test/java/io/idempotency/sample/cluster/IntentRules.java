package io.idempotency.sample.cluster;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.idempotency.sample.cluster.FinalState.Event;
import io.idempotency.sample.cluster.SampleApi.Answered;
import io.idempotency.sample.cluster.Violation.Rule;

/** One key, its answers and its effect. */
final class IntentRules {

    private final Violations violations;

    IntentRules(Violations violations) {
        this.violations = violations;
    }

    void check(Intent intent) {
        checkAnswers(intent);
        checkRefusals(intent);
        violations.require(intent.events().size() <= 1, Rule.EFFECT_AT_MOST_ONCE, intent, intent.events());
        violations.require(
                !intent.isAcknowledged() || !intent.events().isEmpty(), Rule.ACKNOWLEDGED_HAS_ITS_EFFECT, intent);
        if (intent.failed() && !intent.isPayout()) {
            violations.require(intent.events().isEmpty(), Rule.RECORDED_FAILURE_HAS_NO_EFFECT, intent, intent.events());
        }
        intent.events().forEach(event -> checkContent(intent, event));
    }

    private void checkAnswers(Intent intent) {
        requireEqual(intent, intent.acknowledgements());
        if (intent.failed()) {
            requireEqual(
                    intent,
                    intent.attempts().stream()
                            .map(Attempt::outcome)
                            .filter(SampleApi::isFinalFailure)
                            .toList());
        }
    }

    private void requireEqual(Intent intent, List<Outcome> answers) {
        Set<Outcome> different = Set.copyOf(answers);
        violations.require(different.size() <= 1, Rule.ANSWERS_OF_A_KEY_ARE_EQUAL, intent, different);
    }

    private void checkRefusals(Intent intent) {
        Set<Outcome> withoutReason = intent.attempts().stream()
                .map(Attempt::outcome)
                .filter(Outcome::isRefused)
                .filter(outcome -> !SampleApi.hasReason(outcome, intent.command()))
                .collect(Collectors.toSet());
        violations.require(withoutReason.isEmpty(), Rule.REFUSAL_HAS_A_REASON, intent, withoutReason);
    }

    private void checkContent(Intent intent, Event event) {
        Command command = intent.command();
        boolean asAsked = event.type().equals(command.operation().eventType())
                && event.accountId().equals(command.accountId())
                && event.amountCents() == command.operation().signed(command.amountCents())
                && event.scope().equals(command.operation().scope())
                && (command.expectedVersion() == null || event.version() == command.expectedVersion() + 1);
        violations.require(asAsked, Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, intent, command, event);
        if (!intent.isPayout() && intent.events().size() == 1) {
            intent.acknowledgements().forEach(acknowledgement -> checkAnswer(intent, event, acknowledgement));
        }
    }

    private void checkAnswer(Intent intent, Event event, Outcome acknowledgement) {
        Answered answered = SampleApi.answered(acknowledgement);
        boolean asAnswered = isSame(answered.eventId(), event.eventId())
                && isSame(answered.paymentId(), event.paymentId())
                && isSame(answered.accountId(), event.accountId())
                && isSame(answered.version(), event.version())
                && isSame(answered.amountCents(), Math.abs(event.amountCents()))
                && isSame(answered.balanceCents(), event.balanceCents());
        violations.require(asAnswered, Rule.EFFECT_IS_WHAT_WAS_ASKED_AND_ANSWERED, intent, acknowledgement, event);
    }

    /** Answers to payments tell no version, those to deposits no payment. */
    private static boolean isSame(Object answered, Object recorded) {
        return answered == null || Objects.equals(answered, recorded);
    }
}
