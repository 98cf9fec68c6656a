package shop;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.springframework.stereotype.Service;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;

@Service
class Refunds {

    static final AtomicInteger ATTEMPTS = new AtomicInteger();

    /** Runs in the next attempt. */
    static final AtomicReference<Runnable> INTERRUPTION = new AtomicReference<>();

    @Idempotent(scope = "refunds", key = "#id", mode = IdempotencyMode.LEASED, lease = "1s", resume = true)
    public String pay(String id, String account) {
        ATTEMPTS.incrementAndGet();
        Runnable interruption = INTERRUPTION.getAndSet(null);
        if (interruption != null) {
            interruption.run();
        }
        return "paid to " + account;
    }
}
