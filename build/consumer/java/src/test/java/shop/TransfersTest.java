package shop;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.client.RestClient;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class TransfersTest {

    @Test
    void aRepeatGetsTheFirstReceiptAndMovesNothing(@LocalServerPort int port, @Autowired JdbcClient jdbc) {
        ResponseEntity<String> first = transfer(port, 100);
        ResponseEntity<String> repeat = transfer(port, 100);
        ResponseEntity<String> other = transfer(port, 101);

        assertThat(first.getStatusCode().value()).isEqualTo(200);
        assertThat(repeat.getBody()).isEqualTo(first.getBody());
        assertThat(repeat.getHeaders().getFirst("Idempotent-Replayed")).isEqualTo("true");
        assertThat(other.getStatusCode().value()).isEqualTo(422);
        assertThat(jdbc.sql("select cents from account where name = 'bob'").query(Long.class).single()).isEqualTo(100);
    }

    private static ResponseEntity<String> transfer(int port, long cents) {
        return RestClient.create()
                .post()
                .uri("http://localhost:{port}/transfers", port)
                .header("Idempotency-Key", "transfer-1")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"from\":\"alice\",\"to\":\"bob\",\"cents\":%d}".formatted(cents))
                .retrieve()
                .onStatus(status -> status.isError(), (request, response) -> {})
                .toEntity(String.class);
    }
}
