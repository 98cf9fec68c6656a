package io.idempotency.sample.webhooks;

import java.net.URI;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

/** What a provider is given to verify. */
@WebMvcTest(WebhookController.class)
class WebhookControllerTest {

    @Autowired
    private MockMvcTester mvc;

    @Autowired
    private Listener listener;

    @Test
    void urlIsTheOneOfTheRequestItself() {
        String url = "https://shop.example:8443/webhooks/listener?x=%2F&a=b";

        assertThat(mvc.post().uri(URI.create(url)).header("X-Anything", "first", "second"))
                .hasStatus(204);

        WebhookRequest request = listener.request.get();
        assertThat(request.url()).isEqualTo(url);
        assertThat(request.header("x-anything")).isEqualTo("first");
    }

    /** In an order and an encoding that the form has no more once its fields were read. */
    @Test
    void bytesOfAFormAreThoseThatWereSent() {
        String form = "b=%2f&a=1+2&b=&a=1%202";

        assertThat(mvc.post()
                        .uri("/webhooks/listener")
                        .contentType(MediaType.APPLICATION_FORM_URLENCODED)
                        .content(form))
                .hasStatus(204);

        assertThat(new String(listener.request.get().body(), UTF_8)).isEqualTo(form);
    }

    /** Listens only. */
    static final class Listener implements WebhookProvider {

        private final AtomicReference<WebhookRequest> request = new AtomicReference<>();

        @Override
        public String name() {
            return "listener";
        }

        @Override
        public void verify(WebhookRequest heard) {
            request.set(heard);
        }

        @Override
        public Webhook read(WebhookRequest heard) {
            return Webhook.of(name(), "1", "heard", heard.body(), Webhook.json("{}".getBytes(UTF_8)));
        }

        @Override
        public WebhookHandler handler() {
            return webhook -> 1L;
        }
    }

    @TestConfiguration
    static class Listening {

        @Bean
        Listener listener() {
            return new Listener();
        }
    }
}
