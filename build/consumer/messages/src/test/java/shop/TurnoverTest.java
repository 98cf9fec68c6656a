package shop;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.core.simple.JdbcClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(webEnvironment = WebEnvironment.NONE)
class TurnoverTest {

    @Test
    void aRepeatedOrderIsSentAndHandledOnce(@Autowired Orders orders, @Autowired JdbcClient jdbc) {
        orders.place(new Orders.Order("order-1", 250));
        orders.place(new Orders.Order("order-1", 250));
        orders.place(new Orders.Order("order-2", 1));

        await().atMost(Duration.ofSeconds(30)).until(() -> count(jdbc, "idempotency.outbox_event where status = 'sent'") == 2);
        assertThat(jdbc.sql("select sum(cents) from turnover").query(Long.class).single())
                .isEqualTo(251);
    }

    /** Their rows are older than the tables of messages. */
    @Test
    void theCallsOfTheOtherApplicationsAreKept(@Autowired JdbcClient jdbc) {
        assertThat(count(jdbc, "idempotency.idempotency_request where idempotency_key = 'transfer-1'"))
                .isEqualTo(1);
    }

    private static long count(JdbcClient jdbc, String rows) {
        return jdbc.sql("select count(*) from " + rows).query(Long.class).single();
    }
}
