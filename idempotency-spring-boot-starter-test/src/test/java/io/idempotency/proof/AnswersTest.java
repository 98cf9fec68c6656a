package io.idempotency.proof;

import java.net.URI;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;

class AnswersTest {

    private final StaticApplicationContext context = new StaticApplicationContext();

    private record Receipt(int cents) {}

    @Test
    void aResponseIsItsStatusItsBodyAndTheHeadersOfAReplay() {
        assertThat(new Answers(context).members(response("first")))
                .containsOnly(
                        Map.entry("/statusCode", "\"201 CREATED\""),
                        Map.entry("/body/cents", "100"),
                        Map.entry("/headers/ETag/0", "\"\\\"1\\\"\""),
                        Map.entry("/headers/Location/0", "\"/receipts/1\""));
    }

    @Test
    void whatIsMadeAnewIsNotCompared() {
        Answers answers = new Answers(context);

        assertThat(answers.members(response("first"))).isEqualTo(answers.members(response("second")));
    }

    @Test
    void headersThatTheApplicationReplaysCountToo() {
        context.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource("test", Map.of("idempotency.http.replay-headers", "X-Order-Number")));

        assertThat(new Answers(context).members(response("first")))
                .containsEntry("/headers/X-Order-Number/0", "\"first\"");
    }

    private static ResponseEntity<Receipt> response(String number) {
        return ResponseEntity.created(URI.create("/receipts/1"))
                .eTag("1")
                .header("date", UUID.randomUUID().toString())
                .header("Connection", number.equals("first") ? "keep-alive" : "close")
                .header("X-Request-Id", UUID.randomUUID().toString())
                .header("X-Order-Number", number)
                .body(new Receipt(100));
    }
}
