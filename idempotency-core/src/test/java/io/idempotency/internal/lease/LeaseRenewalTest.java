package io.idempotency.internal.lease;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.transaction.TransactionException;

import io.idempotency.DatabaseResolver;
import io.idempotency.IdempotencyKey;
import io.idempotency.Intent;
import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.claim.ClaimResult;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.LeaseStore.Renewal;
import io.idempotency.internal.claim.LeaseStore.Result;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.fingerprint.Fingerprint;
import io.idempotency.internal.tenant.RoutedDatabase;
import io.idempotency.internal.transaction.CertainWrite;
import io.idempotency.internal.transaction.RequiresNewTransaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** When leases are renewed, and which of them together. */
class LeaseRenewalTest {

    private static final Duration LEASE = Duration.ofMinutes(3);

    private static final Duration LONGEST = Duration.ofMinutes(15);

    private static final Duration JUST_CLAIMED = Duration.ZERO;

    private static final Duration A_THIRD = Duration.ofMinutes(1);

    private final AtomicInteger wakes = new AtomicInteger();

    /** The keys of each statement. */
    private final List<List<String>> statements = new ArrayList<>();

    private final List<Duration> bounds = new ArrayList<>();

    private Result result = Result.RENEWED;

    private @Nullable RuntimeException failure;

    private final Answering dataSource = new Answering();

    private final Object database = RoutedDatabase.of(dataSource).resolveDatabase();

    private final LeaseRenewal renewal = renewal(dataSource, RoutedDatabase.of(dataSource));

    private LeaseRenewal renewal(DataSource of, DatabaseResolver resolver) {
        LeaseRenewal created = new LeaseRenewal(
                (connection, leases, bound) -> {
                    bounds.add(bound);
                    if (failure != null) {
                        throw failure;
                    }
                    statements.add(leases.stream().map(LeaseRenewalTest::keyOf).toList());
                    return Collections.nCopies(leases.size(), result);
                },
                of,
                resolver,
                LONGEST);
        created.wakeBy(wakes::incrementAndGet);
        return created;
    }

    private static String keyOf(Renewal lease) {
        return lease.fence().key().intent().key().value();
    }

    @Test
    void nothingIsDoneWhileNothingRuns() {
        renewal.renewDue();

        assertThat(renewal.untilNext()).isGreaterThan(Duration.ofHours(1));
        assertThat(statements).isEmpty();
        assertThat(dataSource.connections).hasValue(0);
    }

    @Test
    void manyShortCallsWakeTheThreadOnce() {
        for (int i = 0; i < 1_000; i++) {
            HeldLease lease = lease("key-" + i, JUST_CLAIMED);
            renewal.begin(lease);
            renewal.untilNext();
            renewal.renewDue();
            renewal.end(lease);
        }

        assertThat(wakes).hasValue(1);
        assertThat(statements).isEmpty();
        assertThat(renewal.untilNext()).isLessThanOrEqualTo(A_THIRD);
    }

    @Test
    void theThreadMayEndAfterTheLastCallAndIsWokenByTheNext() {
        HeldLease lease = lease("key", JUST_CLAIMED);
        renewal.begin(lease);
        renewal.untilNext();
        assertThat(renewal.isIdle()).isFalse();
        renewal.end(lease);
        assertThat(renewal.isIdle()).isTrue();

        renewal.begin(lease("later", JUST_CLAIMED));

        assertThat(wakes).hasValue(2);
        assertThat(renewal.isIdle()).isFalse();
    }

    @Test
    void aLeaseThatIsDueEarlierWakesTheThread() {
        renewal.begin(lease("long", JUST_CLAIMED));
        renewal.untilNext();

        renewal.begin(lease("short", Duration.ofSeconds(30)));

        assertThat(wakes).hasValue(2);
        assertThat(renewal.untilNext()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
    }

    @Test
    void aLeaseIsRenewedWhenAThirdOfItHasPassedTogetherWithThoseThatFollowSoon() {
        renewal.begin(lease("new", JUST_CLAIMED));
        renewal.begin(lease("soon", Duration.ofSeconds(40)));
        renewal.renewDue();
        assertThat(statements).isEmpty();

        renewal.begin(lease("due", A_THIRD));
        assertThat(renewal.untilNext()).isZero();
        renewal.renewDue();

        assertThat(statements)
                .singleElement()
                .satisfies(keys -> assertThat(keys).containsExactlyInAnyOrder("soon", "due"));
        assertThat(renewal.untilNext()).isBetween(Duration.ofSeconds(50), A_THIRD);
    }

    @Test
    void aThousandAreOneStatement() {
        for (int i = 0; i < 1_001; i++) {
            renewal.begin(lease("key-" + i, A_THIRD));
        }

        renewal.renewDue();

        assertThat(statements).extracting(List::size).containsExactly(1_000);
        assertThat(renewal.untilNext()).isZero();
        renewal.renewDue();
        assertThat(statements).extracting(List::size).containsExactly(1_000, 1);
    }

    /** The columns: the longest time for an answer, and what is left for the statement. */
    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, delimiter = '|', textBlock = """
            lease | passed | other | network | statement
            PT3M  | PT60S    | PT3M  | PT10S     | PT7.5S
            PT3M  | PT60S    | PT6S    | PT4S      | PT3S
            PT15S   | PT5S     | PT3M  | PT5S      | PT3.75S
            PT15S   | PT11S    | PT3M  | PT2.5S    | PT1.875S
            PT15S   | PT14S    | PT15S   | PT2.5S    | PT1.875S
            PT15S   | PT60S    | PT15S   | PT2.5S    | PT1.875S
            PT0.6S | PT0.2S  | PT3M  | PT0.2S   | PT0.15S
            """)
    void aTryLastsForAPartOfTheShortestLeaseFromWhenThatIsDue(
            Duration lease, Duration passed, Duration other, Duration network, Duration statement) {
        renewal.begin(lease("due", passed, lease, database));
        renewal.begin(lease("other", JUST_CLAIMED, other, database));

        renewal.renewDue();

        Duration slowness = (lease.compareTo(other) < 0 ? lease : other).dividedBy(10);
        assertThat(Duration.ofMillis(dataSource.longestNetworkTimeout))
                .isBetween(network.minus(slowness), network.plusMillis(1));
        assertThat(bounds)
                .singleElement()
                .satisfies(bound -> assertThat(bound).isBetween(statement.minus(slowness), statement));
    }

    @Test
    void aCallThatHasEndedIsNotRenewed() {
        HeldLease lease = lease("key", A_THIRD);
        renewal.begin(lease);
        renewal.end(lease);

        renewal.renewDue();

        assertThat(statements).isEmpty();
    }

    @Test
    void aLeaseThatIsLostIsNotTriedAgain() {
        result = Result.LOST;
        renewal.begin(lease("key", A_THIRD));
        renewal.renewDue();
        assertThat(statements).hasSize(1);

        renewal.renewDueIn(LEASE);

        assertThat(statements).hasSize(1);
        assertThat(renewal.untilNext()).isGreaterThan(Duration.ofHours(1));
    }

    @Test
    void aRowThatIsLockedIsTriedAgainSoonAndNotAtOnce() {
        result = Result.UNCHANGED;
        renewal.begin(lease("key", A_THIRD));

        renewal.renewDue();

        assertThat(renewal.untilNext()).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
    }

    @Test
    void aLeaseIsRenewedToTheLongestTimeAfterItsClaim() {
        HeldLease lease = lease("key", LONGEST.minus(Duration.ofMinutes(2)));
        renewal.begin(lease);

        renewal.renewDue();

        assertThat(lease.remaining()).isBetween(Duration.ofSeconds(110), Duration.ofMinutes(2));
        renewal.renewDueIn(Duration.ofMinutes(3));
        assertThat(statements).hasSize(1);
    }

    @Test
    void aLeaseOfATransactionWithASnapshotIsNotRenewed() {
        HeldLease lease = lease("key", A_THIRD);
        lease.term().conflictsWithSnapshot(true);
        renewal.begin(lease);

        renewal.renewDue();

        assertThat(statements).isEmpty();
        assertThat(renewal.untilNext()).isBetween(Duration.ofSeconds(110), Duration.ofMinutes(2));
    }

    @Test
    void aLeaseIsNotRenewedWhileAStepMayHaveASnapshot() {
        HeldLease lease = lease("key", A_THIRD);
        renewal.begin(lease);
        try (LeaseRenewal.Pause pause = renewal.pause(lease)) {
            renewal.renewDue();
            assertThat(statements).isEmpty();
            assertThat(renewal.untilNext()).isPositive();

            pause.begun(dataSource.getConnection());
            renewal.renewDueIn(Duration.ofSeconds(1));
            assertThat(statements).hasSize(1);
        }
    }

    @Test
    void aDatabaseThatIsDownDelaysOneTryOfTheOthersAtMost() {
        Answering other = new Answering();
        Routing routing = new Routing(Map.of("down", dataSource, "up", other));
        LeaseRenewal routed = renewal(routing, RoutedDatabase.of(routing));
        dataSource.isDown.set(true);
        HeldLease down = lease("down", A_THIRD, dataSource);
        routed.begin(down);
        assertThatExceptionOfType(TransactionException.class).isThrownBy(routed::renewDue);

        routed.begin(lease("up", A_THIRD, other));
        assertThatExceptionOfType(TransactionException.class).isThrownBy(routed::renewDue);

        assertThat(statements).containsExactly(List.of("up"));
        dataSource.isDown.set(false);
        routed.renewDue();
        assertThat(statements).containsExactly(List.of("up"), List.of("down"));
    }

    /** The server may be cut off right after its answer. */
    @Test
    void theRollbackOfARenewalIsNotWaitedForInVain() {
        failure = new QueryTimeoutException("of the server", new SQLException("cancelled", "57014"));
        renewal.begin(lease("key", A_THIRD));

        assertThatThrownBy(renewal::renewDue).isSameAs(failure);

        assertThat(dataSource.timeoutsOfRollbacks.get(0)).isPositive();
        assertThat(dataSource.networkTimeout).isZero();
    }

    /** With a routing of its own the application must have a tenant, which the thread of the renewal has not. */
    @Test
    void aDatabaseThatOnlyTheThreadOfTheCallReachesIsLeftAlone() {
        LeaseRenewal custom = renewal(dataSource, () -> "default");
        custom.begin(lease("tenant", A_THIRD, "tenant"));
        custom.begin(lease("default", A_THIRD, "default"));

        custom.renewDue();

        assertThat(statements).containsExactly(List.of("default"));
    }

    private HeldLease lease(String key, Duration age) {
        return lease(key, age, database);
    }

    private HeldLease lease(String key, Duration age, Object of) {
        return lease(key, age, LEASE, of);
    }

    private HeldLease lease(String key, Duration age, Duration duration, Object of) {
        Intent intent = new Intent("scope", "", new IdempotencyKey(key));
        Fence fence = new Fence(RequestKey.of(intent, new Fingerprint(1, new byte[32])), 1, UUID.randomUUID());
        ClaimStore unused = (ClaimStore) Proxy.newProxyInstance(
                ClaimStore.class.getClassLoader(), new Class<?>[] {ClaimStore.class}, (proxy, method, arguments) -> {
                    throw new AssertionError(method);
                });
        RequiresNewTransaction transactions = RequiresNewTransaction.on(dataSource);
        return new HeldLease(
                of,
                ClaimResult.granted(ClaimResult.Kind.GRANTED_NEW, 1),
                fence,
                new LeaseTerm(duration, System.nanoTime() - age.toNanos()),
                List.of(),
                unused,
                transactions,
                new CertainWrite(new Backoff(Duration.ofMillis(1), 1, Duration.ofMillis(1))));
    }

    /** Gives connections on which nothing happens. */
    private static final class Answering extends AbstractDataSource {

        private final AtomicInteger connections = new AtomicInteger();

        private final AtomicBoolean isDown = new AtomicBoolean();

        private final List<Integer> timeoutsOfRollbacks = new ArrayList<>();

        private int networkTimeout;

        private int longestNetworkTimeout;

        @Override
        public Connection getConnection() {
            connections.incrementAndGet();
            if (isDown.get()) {
                throw new IllegalStateException("down");
            }
            return (Connection) Proxy.newProxyInstance(
                    Connection.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (proxy, method, arguments) -> switch (method.getName()) {
                        case "getAutoCommit" -> true;
                        case "getTransactionIsolation" -> Connection.TRANSACTION_READ_COMMITTED;
                        case "getNetworkTimeout" -> networkTimeout;
                        case "setNetworkTimeout" -> {
                            networkTimeout = (int) arguments[1];
                            longestNetworkTimeout = Math.max(longestNetworkTimeout, networkTimeout);
                            yield null;
                        }
                        case "rollback" -> {
                            timeoutsOfRollbacks.add(networkTimeout);
                            yield null;
                        }
                        case "isReadOnly", "isClosed" -> false;
                        case "hashCode" -> System.identityHashCode(proxy);
                        case "equals" -> proxy == arguments[0];
                        default -> null;
                    });
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }
    }

    private static final class Routing extends AbstractRoutingDataSource {

        Routing(Map<Object, Object> targets) {
            setTargetDataSources(targets);
            afterPropertiesSet();
        }

        @Override
        protected @Nullable Object determineCurrentLookupKey() {
            return null;
        }
    }
}
