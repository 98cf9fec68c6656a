package io.idempotency.sample.webhooks.twilio;

import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.util.unit.DataSize;

import io.idempotency.sample.WebhookSignatures;
import io.idempotency.sample.webhooks.InvalidSignatureException;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookProperties;
import io.idempotency.sample.webhooks.WebhookRequest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class TwilioTest {

    private static final String URL = "https://mycompany.com/myapp.php?foo=1&bar=2";

    private static final String FORM =
            "Digits=1234&CallSid=CA1234567890ABCDE&To=%2B18005551212&Caller=%2B12349013030&From=%2B12349013030";

    private static final String SIGNATURE = "0/KCTR6DLpKmkAf8muzZqo1nDgQ=";

    private final Twilio twilio =
            new Twilio(new WebhookProperties("-", "-", "12345", "-", null, DataSize.ofKilobytes(1)), null);

    @Test
    void exampleOfTwiliosDocumentationIsAcceptedWithOrWithoutThePort() {
        assertAccepted(request(URL, FORM, SIGNATURE));
        assertAccepted(request(URL.replace(".com/", ".com:8443/"), FORM, SIGNATURE));
    }

    @Test
    void anythingElseIsNot() {
        assertRefused(request(URL + "&baz=3", FORM, SIGNATURE));
        assertRefused(request(URL.replace("https", "http"), FORM, SIGNATURE));
        assertRefused(request(URL, FORM.replace("1234&", "1235&"), SIGNATURE));
        assertRefused(request(URL, FORM + "&More=1", SIGNATURE));
        assertRefused(request(URL, FORM.replace("%2B1800", "%ZZ1800"), SIGNATURE));
        assertRefused(request(URL, FORM, SIGNATURE.replace('K', 'k')));
    }

    /** As Twilio's libraries for other languages do: each different value once, sorted, with the name before each. */
    @Test
    void severalValuesOfOneNameAreSignedOneAfterTheOther() {
        String form = "MediaUrl=b&MediaUrl=a&MediaUrl=b&Body=&Body";
        String signature = WebhookSignatures.twilio("12345", URL, "Body=&MediaUrl=a&MediaUrl=b");

        assertAccepted(request(URL, form, signature));
        assertRefused(request(URL, form.replace("=a", "=c"), signature));
    }

    @Test
    void eventIsNamedByTheMessageOrCallAndItsStatus() {
        assertEvent("MessageSid=SM1&SmsStatus=sent&MessageStatus=delivered", "SM1:delivered", "message.delivered");
        assertEvent("MessageSid=SM1&SmsStatus=received&Body=Hello", "SM1:received", "message.received");
        assertEvent("CallSid=CA1&CallStatus=in-progress", "CA1:in-progress", "call.in-progress");
    }

    private void assertEvent(String form, String id, String type) {
        Webhook webhook = twilio.read(request(URL, form, ""));
        assertThat(webhook.id()).isEqualTo(id);
        assertThat(webhook.type()).isEqualTo(type);
    }

    private void assertAccepted(WebhookRequest request) {
        assertThatCode(() -> twilio.verify(request)).doesNotThrowAnyException();
    }

    private void assertRefused(WebhookRequest request) {
        assertThatExceptionOfType(InvalidSignatureException.class).isThrownBy(() -> twilio.verify(request));
    }

    private static WebhookRequest request(String url, String form, String signature) {
        HttpHeaders headers = new HttpHeaders();
        headers.set("X-Twilio-Signature", signature);
        return new WebhookRequest(url, headers, form.getBytes(UTF_8));
    }
}
