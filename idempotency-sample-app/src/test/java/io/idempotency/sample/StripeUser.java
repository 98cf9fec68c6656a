package io.idempotency.sample;

import com.stripe.StripeClient;
import com.stripe.exception.ApiConnectionException;
import com.stripe.exception.StripeException;
import com.stripe.model.Charge;
import com.stripe.net.RequestOptions;
import com.stripe.param.ChargeCreateParams;

/** An application that charges alice by means of Stripe's own client. */
record StripeUser(StripeClient client) {

    /** Long for an answer, and short for a test that waits for answers that never come. */
    private static final int READ_TIMEOUT_MILLIS = 1_000;

    private static final int NETWORK_RETRIES = 3;

    private static final int ATTEMPTS = 10;

    static StripeUser of(String url) {
        return new StripeUser(StripeClient.builder()
                .setApiKey("sk_test_wallet")
                .setApiBase(url)
                .setReadTimeout(READ_TIMEOUT_MILLIS)
                .setMaxNetworkRetries(NETWORK_RETRIES)
                .build());
    }

    /** With a key that Stripe's client makes and the application never sees. */
    Charge charge(ChargeCreateParams params) throws StripeException {
        return client.v1().charges().create(params);
    }

    Charge charge(String key, ChargeCreateParams params) throws StripeException {
        RequestOptions options = RequestOptions.builder().setIdempotencyKey(key).build();
        return client.v1().charges().create(params, options);
    }

    /** Stripe's client gives up when its connection breaks; whether there is a charge is only known to who asks again. */
    Charge chargeUntilAnswered(String key, ChargeCreateParams params) throws StripeException {
        for (int attempt = 1; attempt < ATTEMPTS; attempt++) {
            try {
                return charge(key, params);
            } catch (ApiConnectionException lost) {
                // Asked again, with the same key.
            }
        }
        return charge(key, params);
    }
}
