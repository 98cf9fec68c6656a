package io.idempotency.sample;

import java.io.IOException;
import java.net.ConnectException;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.idempotency.sample.Orders.Order;

import static org.assertj.core.api.Assertions.assertThat;

/** Sends orders and keeps the first answer to each, with which every later one must agree. */
final class Load {

    private final Map<String, Answer> acknowledged = new ConcurrentHashMap<>();

    private final AtomicInteger answers = new AtomicInteger();

    /** Orders whose request was sent but whose answer never came. */
    private final Queue<Order> broken = new ConcurrentLinkedQueue<>();

    /** Sends one order after the other, until the application is gone. */
    void runUntilKilled(WalletClient wallet, Orders orders) throws InterruptedException {
        while (true) {
            Order order = orders.next();
            try {
                send(wallet, order);
            } catch (ConnectException tooLate) {
                return;
            } catch (IOException connectionBroke) {
                broken.add(order);
                return;
            }
        }
    }

    void send(WalletClient wallet, Order order) throws IOException, InterruptedException {
        Answer answer = wallet.pay(order.key(), order.body());
        assertThat(answer.status()).as("%s: %s", order, answer.body()).isEqualTo(201);
        Answer first = acknowledged.putIfAbsent(order.key(), answer);
        if (first != null) {
            assertThat(answer.asReplay()).as(order.key()).isEqualTo(first.asReplay());
        }
        answers.incrementAndGet();
    }

    int answers() {
        return answers.get();
    }

    int broken() {
        return broken.size();
    }

    int acknowledged() {
        return acknowledged.size();
    }
}
