package io.idempotency.sample.webhooks.twilio;

import java.util.stream.Stream;

import com.twilio.security.RequestValidator;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

import io.idempotency.sample.webhooks.InvalidSignatureException;
import io.idempotency.sample.webhooks.Webhook;
import io.idempotency.sample.webhooks.WebhookHandler;
import io.idempotency.sample.webhooks.WebhookProperties;
import io.idempotency.sample.webhooks.WebhookProvider;
import io.idempotency.sample.webhooks.WebhookRequest;

/**
 * Twilio signs the URL and the fields of the form, without a time. One message or call has many events, told apart by its
 * status.
 *
 * @see <a href="https://www.twilio.com/docs/usage/webhooks/webhooks-security">Webhooks security</a>
 */
@Component
class Twilio implements WebhookProvider {

    private final RequestValidator validator;

    private final TwilioHandler handler;

    Twilio(WebhookProperties properties, TwilioHandler handler) {
        this.validator = new RequestValidator(properties.twilioSecret());
        this.handler = handler;
    }

    @Override
    public String name() {
        return "twilio";
    }

    @Override
    public void verify(WebhookRequest request) {
        Form form = Form.parse(request.text());
        if (!validator.validate(request.url(), form.signedFields(), request.header("X-Twilio-Signature"))) {
            throw new InvalidSignatureException("Wrong or no X-Twilio-Signature for " + request.url());
        }
    }

    @Override
    public Webhook read(WebhookRequest request) {
        Form form = Form.parse(request.text());
        String message = form.first("MessageSid");
        return message == null
                ? read(request, form, "call", form.first("CallSid"), form.first("CallStatus"))
                : read(request, form, "message", message, statusOfMessage(form));
    }

    @Override
    public WebhookHandler handler() {
        return handler;
    }

    private Webhook read(
            WebhookRequest request, Form form, String kind, @Nullable String sid, @Nullable String status) {
        boolean whole = Stream.of(sid, status).allMatch(part -> part != null && !part.isBlank());
        return Webhook.of(
                name(),
                whole ? sid + ":" + status : null,
                whole ? kind + "." + status : null,
                request.body(),
                form.content());
    }

    /** A message that has come in has the older name only. */
    private static @Nullable String statusOfMessage(Form form) {
        String status = form.first("MessageStatus");
        return status == null ? form.first("SmsStatus") : status;
    }
}
