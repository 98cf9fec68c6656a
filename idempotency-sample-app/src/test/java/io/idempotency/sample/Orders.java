package io.idempotency.sample;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** What clients ask the wallet for: new orders, and a share of repeats of any earlier one. */
final class Orders {

    private static final double REPEATS = 0.3;

    private final List<Order> placed = new ArrayList<>();

    synchronized Order next() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        if (!placed.isEmpty() && random.nextDouble() < REPEATS) {
            return placed.get(random.nextInt(placed.size()));
        }
        Order order =
                new Order("order-" + placed.size(), random.nextBoolean() ? "alice" : "bob", random.nextLong(1, 20));
        placed.add(order);
        return order;
    }

    synchronized List<Order> all() {
        return List.copyOf(placed);
    }

    /** One payment that somebody wants to be made once. */
    record Order(String key, String accountId, long amountCents) {

        String body() {
            return "{\"accountId\":\"" + accountId + "\",\"amountCents\":" + amountCents
                    + ",\"currency\":\"EUR\",\"reference\":\"" + key + "\"}";
        }
    }
}
