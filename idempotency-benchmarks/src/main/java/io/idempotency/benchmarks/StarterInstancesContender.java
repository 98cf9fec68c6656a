package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

/** As {@link StarterContender}, with an instance of the application for each thread: no duplicates meet in one of them. */
final class StarterInstancesContender extends Starter {

    private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

    private final List<HikariDataSource> pools = new ArrayList<>();

    private final List<StarterContender.Payments> payments = new ArrayList<>();

    private final AtomicInteger threads = new AtomicInteger();

    private final Map<Thread, StarterContender.Payments> byThread = new ConcurrentHashMap<>();

    StarterInstancesContender(ContenderSetup setup, int count) {
        super("starter-without-single-flight", setup, StarterContender.Payments.class);
        payments.add(application.getBean(StarterContender.Payments.class));
        while (payments.size() < count) {
            HikariDataSource connections = setup.server().pool(database(), 1);
            pools.add(connections);
            ConfigurableApplicationContext instance =
                    BenchmarkApplication.start(connections, settings, configuration(StarterContender.Payments.class));
            instances.add(instance);
            payments.add(instance.getBean(StarterContender.Payments.class));
        }
    }

    @Override
    @Nullable Receipt pay(String key, Payment payment) {
        return byThread.computeIfAbsent(
                        Thread.currentThread(), first -> payments.get(threads.getAndIncrement() % payments.size()))
                .pay(key, payment);
    }

    @Override
    String note() {
        return "an instance for each caller";
    }

    @Override
    public void close() {
        instances.forEach(ConfigurableApplicationContext::close);
        pools.forEach(HikariDataSource::close);
        super.close();
    }
}
