package shop;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.Idempotent;
import io.idempotency.outbox.Outbox;
import io.idempotency.outbox.OutboxMessage;

@Service
class Orders {

    private final Outbox outbox;

    Orders(Outbox outbox) {
        this.outbox = outbox;
    }

    @Transactional
    @Idempotent(scope = "orders", key = "#order.id")
    public void place(Order order) {
        outbox.publish(
                OutboxMessage.of("orders", "OrderPlaced").payload(order).build());
    }

    record Order(String id, long cents) {}
}
