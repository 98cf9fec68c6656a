package io.idempotency.sample.webhooks;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

import jakarta.servlet.http.HttpServletRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.util.StringUtils;
import org.springframework.util.unit.DataSize;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Takes webhooks over HTTP. A duplicate gets the answer of the first: the provider only wants to know that it may stop. One
 * that comes while the first is being handled, for too long to wait, gets 409, and whatever else fails gets 5xx: those
 * providers that send again do so after either.
 */
@RestController
@EnableConfigurationProperties(WebhookProperties.class)
class WebhookController {

    private static final Logger logger = LoggerFactory.getLogger(WebhookController.class);

    private final Map<String, WebhookProvider> providers;

    private final DataSize maxBodySize;

    private final int maxBodyLength;

    private final String publicUrl;

    WebhookController(List<WebhookProvider> providers, WebhookProperties properties) {
        this.providers = providers.stream().collect(Collectors.toMap(WebhookProvider::name, Function.identity()));
        this.maxBodySize = properties.maxBodySize();
        this.maxBodyLength = Math.toIntExact(maxBodySize.toBytes());
        this.publicUrl = StringUtils.trimTrailingCharacter(Objects.requireNonNullElse(properties.publicUrl(), ""), '/');
    }

    @PostMapping("/webhooks/{name}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void receive(@PathVariable String name, HttpServletRequest http) throws IOException {
        WebhookProvider provider = providers.get(name);
        if (provider == null) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND);
        }
        WebhookRequest request =
                new WebhookRequest(urlOf(http), new ServletServerHttpRequest(http).getHeaders(), bodyOf(http));
        provider.verify(request);
        Webhook webhook = provider.read(request);
        Long kept = provider.handler().handle(webhook);
        if (kept == null) {
            logger.info("{} event {} ({}) was handled before", name, webhook.id(), webhook.type());
        } else {
            logger.info("{} event {} ({}) is handled, and kept as {}", name, webhook.id(), webhook.type(), kept);
        }
    }

    private String urlOf(HttpServletRequest http) {
        String path = publicUrl.isEmpty() ? http.getRequestURL().toString() : publicUrl + http.getRequestURI();
        return http.getQueryString() == null ? path : path + "?" + http.getQueryString();
    }

    /**
     * From the stream itself: Spring MVC's own conversion would put a form together again from its fields, which are not the
     * bytes that were signed.
     */
    private byte[] bodyOf(HttpServletRequest http) throws IOException {
        if (http.getContentLengthLong() > maxBodyLength) {
            throw new WebhookTooLargeException(maxBodySize);
        }
        byte[] body = http.getInputStream().readNBytes(maxBodyLength);
        if (body.length == maxBodyLength && http.getInputStream().read() >= 0) {
            throw new WebhookTooLargeException(maxBodySize);
        }
        return body;
    }
}
