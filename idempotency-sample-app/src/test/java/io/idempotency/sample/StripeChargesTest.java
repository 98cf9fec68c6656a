package io.idempotency.sample;

import java.io.IOException;
import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

import com.stripe.exception.CardException;
import com.stripe.exception.IdempotencyException;
import com.stripe.exception.InvalidRequestException;
import com.stripe.model.Charge;
import com.stripe.param.ChargeCreateParams;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import io.idempotency.sample.DroppingProxy.Drop;
import io.idempotency.sample.DroppingProxy.Exchange;
import io.idempotency.test.ConcurrentCalls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Stripe's own client charges an account of the wallet, over a network that loses requests and answers.
 *
 * <p>Three repeat what was lost, all with the same key: the JDK's HttpURLConnection once, when its connection breaks before
 * it has heard anything; Stripe's client when it has waited too long, or is answered 409 or 5xx; and the application that
 * uses it, for all that is left.
 */
@Tag("full")
class StripeChargesTest {

    @AutoClose
    private static final RunningSample SAMPLE = RunningSample.start();

    /** Key and description of what a test charges. */
    private final String name = UUID.randomUUID().toString();

    private final Map<String, Integer> requests = new ConcurrentHashMap<>();

    @Test
    void chargeIsThePaymentThatWasMade() throws Exception {
        Charge charge = user().charge(params(1250, name));

        assertThat(payments(name)).containsExactly(ChargedPayment.of(charge));
        assertThat(charge.getObject()).isEqualTo("charge");
        assertThat(charge.getAmount()).isEqualTo(1250);
        assertThat(charge.getCurrency()).isEqualTo("eur");
        assertThat(charge.getStatus()).isEqualTo("succeeded");
        assertThat(charge.getPaid()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"REQUEST", "ANSWER", "HALF_OF_THE_ANSWER"})
    void whateverIsLostIsChargedOnce(Drop lost) throws Exception {
        try (DroppingProxy proxy = proxy(key -> nextRequest(key) <= 2 ? lost : Drop.NOTHING)) {
            Charge charge = StripeUser.of(proxy.url()).chargeUntilAnswered(name, params(1250, name));

            assertThat(payments(name)).containsExactly(ChargedPayment.of(charge));
            assertThat(proxy.exchanges()).extracting(Exchange::drop).startsWith(lost, lost, Drop.NOTHING);
            assertThat(proxy.exchanges().get(2).replayed()).isEqualTo(lost != Drop.REQUEST);
        }
    }

    @Test
    void clientThatRepeatsByItselfNeedsNoKeyFromItsUser() throws Exception {
        try (DroppingProxy proxy = proxy(key -> nextRequest(key) <= 1 ? Drop.ANSWER_IN_SILENCE : Drop.NOTHING)) {
            Charge charge = StripeUser.of(proxy.url()).charge(params(1250, name));

            assertThat(payments(name)).containsExactly(ChargedPayment.of(charge));
            assertThat(charge.getLastResponse().headers().firstValue("Idempotent-Replayed"))
                    .contains("true");
        }
    }

    @Test
    @Tag("race")
    void repeatThatMeetsItsOwnRunningRequestGetsItsResult() throws Exception {
        ConcurrentCalls<Charge> running;
        try (DroppingProxy proxy = proxy(this::countedOnly)) {
            try (Connection blocker = SAMPLE.begin("select from account for update")) {
                running = ConcurrentCalls.start(
                        1, () -> StripeUser.of(proxy.url()).chargeUntilAnswered(name, params(1250, name)));
                await().until(() -> requests.getOrDefault(name, 0) >= 2);
                blocker.rollback();
            }
            Charge charge = running.await().requireAllSucceeded().get(0);

            assertThat(payments(name)).containsExactly(ChargedPayment.of(charge));
        }
    }

    @Test
    void cardWithoutFundsIsDeclinedAndSoIsEachRepeat() throws Exception {
        for (int request = 0; request < 2; request++) {
            assertThatThrownBy(() -> user().charge(name, params(100_000_000, name)))
                    .isInstanceOfSatisfying(CardException.class, declined -> {
                        assertThat(declined.getStatusCode()).isEqualTo(402);
                        assertThat(declined.getCode()).isEqualTo("card_declined");
                        assertThat(declined.getDeclineCode()).isEqualTo("insufficient_funds");
                    });
        }

        assertThat(payments(name)).isEmpty();
        assertThatThrownBy(() -> user().charge(name, params(1250, name))).isInstanceOf(IdempotencyException.class);
    }

    @Test
    void keyOfAnotherChargeIsAnIdempotencyErrorToTheClient() throws Exception {
        user().charge(name, params(1250, name));

        assertThatThrownBy(() -> user().charge(name, params(1251, name))).isInstanceOf(IdempotencyException.class);

        assertThat(payments(name)).hasSize(1);
    }

    static Stream<Arguments> badParameters() {
        return Stream.of(
                arguments("amount", "", "amount must not be null"),
                arguments("amount", "0", "amount must be greater than 0"),
                arguments("amount", "12.5", "amount has a value of the wrong type"),
                arguments("currency", "usd", "currency must be eur"),
                arguments("description", "a\tb", "description must not contain control characters"),
                arguments("source", "", "source must not be blank"),
                arguments("source", "nobody", "There is no account 'nobody'"));
    }

    @ParameterizedTest
    @MethodSource("badParameters")
    void badParameterIsAnInvalidRequestToTheClient(String parameter, String value, String message) {
        Map<String, Object> form = new HashMap<>(params(1250, name).toMap());
        form.put(parameter, value);
        ChargeCreateParams bad =
                ChargeCreateParams.builder().putAllExtraParam(form).build();

        assertThatThrownBy(() -> user().charge(bad))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(message);

        assertThat(payments(name)).isEmpty();
    }

    private static StripeUser user() {
        return StripeUser.of(SAMPLE.url());
    }

    private static DroppingProxy proxy(Function<String, Drop> plan) throws IOException {
        return new DroppingProxy(SAMPLE.port(), plan);
    }

    private int nextRequest(String key) {
        return requests.merge(key, 1, Integer::sum);
    }

    private Drop countedOnly(String key) {
        nextRequest(key);
        return Drop.NOTHING;
    }

    private static ChargeCreateParams params(long amount, String description) {
        return ChargeCreateParams.builder()
                .setAmount(amount)
                .setCurrency("eur")
                .setSource("alice")
                .setDescription(description)
                .build();
    }

    private static List<ChargedPayment> payments(String description) {
        return ChargedPayment.find(SAMPLE.jdbc(), description);
    }
}
