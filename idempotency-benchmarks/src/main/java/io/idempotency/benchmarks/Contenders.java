package io.idempotency.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** All contenders by name; each is started and checked when it is needed first. */
final class Contenders implements AutoCloseable {

    static final String STARTER_INSTANCES = "starter-without-single-flight";

    private static final Map<String, Function<ContenderSetup, Contender>> ALL = all();

    private final ContenderSetup setup;

    private final Options options;

    private final Map<String, Contender> started = new LinkedHashMap<>();

    Contenders(ContenderSetup setup, Options options) {
        this.setup = setup;
        this.options = options;
    }

    private static Map<String, Function<ContenderSetup, Contender>> all() {
        Map<String, Function<ContenderSetup, Contender>> all = new LinkedHashMap<>();
        all.put(PlainContender.NAME, PlainContender::effectAlone);
        all.put(PlainContender.ONE_ROUND_TRIP_MORE, PlainContender::oneRoundTripMore);
        all.put(PlainContender.TWO_ROUND_TRIPS_MORE, PlainContender::twoRoundTripsMore);
        all.put(SelectContender.NAME, SelectContender::new);
        all.put(HandWrittenContender.NAME, HandWrittenContender::new);
        all.put("hand-written-pipelined", HandWrittenPipelinedContender::new);
        all.put("hand-written-for-update", HandWrittenForUpdateContender::new);
        all.put("floor", FloorContender::new);
        all.put(StarterContender.NAME, StarterContender::new);
        all.put(StarterContender.PIPELINED, StarterContender::pipelined);
        all.put("starter-void", StarterVoidContender::new);
        all.put("starter-programmatic", StarterProgrammaticContender::new);
        all.put("inbox", InboxContender::new);
        all.put(STARTER_INSTANCES, setup -> new StarterInstancesContender(setup, RaceJob.CALLERS));
        all.put("spring-integration-jdbc", SpringIntegrationContender::new);
        all.put("camel-sql", CamelContender::new);
        all.put("transactionoutbox-spring", ScheduledOnceContender::new);
        all.put(PlainBatchContender.NAME, PlainBatchContender::new);
        all.put("hand-written-batch-500", HandWrittenBatchContender::new);
        all.put("floor-batch-500", FloorBatchContender::new);
        all.put("starter-batch-500", StarterBatchContender::new);
        return all;
    }

    static int count() {
        return ALL.size();
    }

    /** Those of the names that are to be measured. */
    <C extends Contender> List<C> get(Class<C> type, String... names) {
        List<C> found = new ArrayList<>();
        for (String name : names) {
            if (options.measures(name)) {
                found.add(type.cast(started.computeIfAbsent(name, this::start)));
            }
        }
        return found;
    }

    private Contender start(String name) {
        Function<ContenderSetup, Contender> constructor = ALL.get(name);
        if (constructor == null) {
            throw new IllegalArgumentException("There is no contender " + name);
        }
        Contender contender = constructor.apply(setup);
        if (!contender.name().equals(name)) {
            throw new IllegalStateException(name + " is called " + contender.name());
        }
        if (contender instanceof CallContender calls) {
            ExactlyOnceCheck.of(calls);
        } else if (contender instanceof BatchContender batches) {
            ExactlyOnceCheck.of(batches);
        }
        return contender;
    }

    Map<String, String> notes() {
        Map<String, String> notes = new LinkedHashMap<>();
        started.forEach((name, contender) -> notes.put(name, contender.note()));
        return notes;
    }

    @Override
    public void close() {
        started.values().forEach(Contender::close);
    }
}
