package io.idempotency.boot.contract;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.test.RoundTripCounter;

import static org.assertj.core.api.Assertions.assertThat;

/** Which calls take one round trip less, and that the others take as many as before. */
@ContractTest
class PipelinedCommitCostTest {

    /** More than it takes until the driver prepares a statement on the server. */
    private static final int CALLS = 8;

    private final ContractApplications applications;

    PipelinedCommitCostTest(ContractApplications applications) {
        this.applications = applications;
    }

    @Test
    void aResponseTravelsWithTheCommitOfTheTransactionThatItsCallStarted() throws Exception {
        Map<Kind, List<Long>> ordinary = roundTrips("idempotency.pipelined-commit=false");
        Map<Kind, List<Long>> pipelined = roundTrips(PipelinedCommitContractTest.PIPELINED);

        for (Kind kind : Kind.values()) {
            assertThat(pipelined.get(kind))
                    .as(kind.name())
                    .isEqualTo(ordinary.get(kind).stream()
                            .map(trips -> trips - kind.saved)
                            .toList());
        }
    }

    private Map<Kind, List<Long>> roundTrips(String commit) throws Exception {
        try (RoundTripCounter counter = RoundTripCounter.of(applications.database())) {
            ContractApplication application = applications.start(
                    List.of(Counted.class),
                    commit,
                    "spring.datasource.url=" + counter.jdbcUrl(),
                    "spring.datasource.hikari.maximum-pool-size=1");
            Map<Kind, List<Long>> trips = new EnumMap<>(Kind.class);
            for (Kind kind : Kind.values()) {
                List<Long> ofKind = new ArrayList<>();
                for (int call = 0; call < CALLS; call++) {
                    String key = commit + call;
                    ofKind.add(counter.count(() -> kind.call.accept(new Caller(application, key))));
                }
                trips.put(kind, ofKind);
            }
            return trips;
        }
    }

    @SuppressWarnings("ImmutableEnumChecker") // A function without a state is not known to be immutable.
    private enum Kind {
        ANNOTATED(1, caller -> caller.counted().respond(caller.key())),
        ANNOTATED_AGAIN(0, caller -> caller.counted().respond(caller.key())),
        WITHOUT_TRANSACTIONAL(1, caller -> caller.counted().respondWithoutTransactional(caller.key())),
        PROGRAMMATIC(
                1,
                caller -> caller.bean(IdempotencyOperations.class)
                        .execute("programmatic", caller.key(), "same", String.class, () -> "done")),
        PROGRAMMATIC_IN_A_TRANSACTION(
                0,
                caller -> caller.outer()
                        .executeWithoutResult(status -> caller.bean(IdempotencyOperations.class)
                                .execute("programmatic-joined", caller.key(), "same", String.class, () -> "done"))),
        JOINED(
                0,
                caller -> caller.outer()
                        .executeWithoutResult(status -> caller.counted().respond("joined-" + caller.key()))),
        VOID(0, caller -> caller.counted().doNotRespond(caller.key())),
        LEASED(0, caller -> caller.counted().respondLeased(caller.key()));

        private final int saved;

        private final Consumer<Caller> call;

        Kind(int saved, Consumer<Caller> call) {
            this.saved = saved;
            this.call = call;
        }
    }

    private record Caller(ContractApplication application, String key) {

        private <T> T bean(Class<T> type) {
            return application.bean(type);
        }

        private Counted counted() {
            return bean(Counted.class);
        }

        private TransactionTemplate outer() {
            return new TransactionTemplate(bean(PlatformTransactionManager.class));
        }
    }

    static class Counted extends PayingBean {

        @Transactional
        @Idempotent(scope = "respond", key = "#key")
        public String respond(String key) {
            return effect();
        }

        @Idempotent(scope = "respond-without-transactional", key = "#key")
        public String respondWithoutTransactional(String key) {
            return effect();
        }

        @Transactional
        @Idempotent(scope = "no-response", key = "#key")
        public void doNotRespond(String key) {
            effect();
        }

        @Transactional
        @Idempotent(scope = "leased", key = "#key", mode = IdempotencyMode.LEASED)
        public String respondLeased(String key) {
            return effect();
        }

        private String effect() {
            makeEffect();
            return "done";
        }
    }
}
