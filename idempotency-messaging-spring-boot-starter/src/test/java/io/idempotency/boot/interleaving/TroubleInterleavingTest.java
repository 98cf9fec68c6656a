package io.idempotency.boot.interleaving;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Set;
import javax.sql.DataSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import io.idempotency.boot.interleaving.Shop.Receipt;
import io.idempotency.boot.interleaving.Troubled.Work;
import io.idempotency.boot.interleaving.TroubledShop.Offer;
import io.idempotency.boot.interleaving.TroubledShop.Trouble;
import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** A caller whose method does what no call may do, beside another one of the same key, which must not suffer from it. */
@PostgresTest
@Tag("race")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TroubleInterleavingTest {

    private static final Work TRANSACTIONAL =
            (shop, key, trouble) -> shop.transactional(key, TroubledShop.PAYLOAD, trouble);

    private static final Work OPTIMISTIC = (shop, key, trouble) -> shop.optimistic(key, TroubledShop.PAYLOAD, trouble);

    private static final Work LEASED = (shop, key, trouble) -> shop.leased(key, TroubledShop.PAYLOAD, trouble);

    private static final Work QUIET = (shop, key, trouble) -> {
        shop.quiet(key, trouble);
        return Caller.NO_ANSWER;
    };

    private Applications applications;

    @BeforeAll
    void start(TestDatabase database) throws SQLException {
        TroubledShop.createTable(database.jdbc());
        applications = new Applications(
                database,
                WithTroubledShop.class,
                "idempotency.outbox.relay=false",
                "idempotency.record-failed-attempts=true");
        for (Work work : Set.of(TRANSACTIONAL, OPTIMISTIC, LEASED, QUIET)) {
            applications.warmUp(TroubledShop.class, (shop, key) -> work.call(shop, key, Trouble.NONE));
        }
        applications.warmUp(TroubledShop.class, TroubledShop::only);
    }

    @AfterAll
    void stop() throws SQLException {
        applications.close();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "COMMITS_ANOTHER")
    void aTroubledCall(Trouble trouble) {
        explore("transactional", trouble, TRANSACTIONAL, TRANSACTIONAL);
    }

    @ParameterizedTest
    @EnumSource(names = {"MARKS_ROLLBACK_ONLY", "SWALLOWS_AN_ERROR_BEFORE_COMMIT", "REFUSES_COMMIT", "COMMITS_ANOTHER"})
    void aTroubledOptimisticCall(Trouble trouble) {
        explore("optimistic", trouble, OPTIMISTIC, OPTIMISTIC);
    }

    @ParameterizedTest
    @Tag("full")
    @EnumSource(names = {"MARKS_ROLLBACK_ONLY", "SWALLOWS_AN_ERROR", "REFUSES_COMMIT"})
    void aTroubledLeasedCall(Trouble trouble) {
        explore("leased", trouble, LEASED, LEASED);
    }

    /** Nothing is written after the method that would miss its claim. */
    @ParameterizedTest
    @EnumSource(names = {"MARKS_ROLLBACK_ONLY", "SWALLOWS_AN_ERROR", "ROLLS_BACK", "ROLLS_BACK_AND_CALLS"})
    void aTroubledCallWithoutAResponse(Trouble trouble) {
        explore("quiet", trouble, QUIET, QUIET);
    }

    @ParameterizedTest
    @EnumSource(
            names = {"NONE", "FAILS", "FAILS_TO_SERIALIZE", "MARKS_ROLLBACK_ONLY", "SWALLOWS_AN_ERROR", "ROLLS_BACK"})
    void aTroubledCallInATransaction(Trouble trouble) {
        Work joined = (shop, key, same) -> shop.inTransaction(key, same, inner -> TRANSACTIONAL.call(inner, key, same));
        explore("joined", trouble, joined, TRANSACTIONAL);
        Work quiet = (shop, key, same) -> shop.inTransaction(key, same, inner -> QUIET.call(inner, key, same));
        explore("joined-quiet", trouble, quiet, QUIET);
    }

    @Test
    void aCallThatIsRolledBackWithItsTransactionIsNoSuccess() {
        explore("rolled-back", Trouble.NONE, (shop, key, trouble) -> shop.rolledBack(key), TRANSACTIONAL);
    }

    @Test
    void aCallThatIsUndoneIsNoSuccess() {
        explore("undone", Trouble.NONE, (shop, key, trouble) -> shop.undone(key), TRANSACTIONAL);
    }

    @Test
    void aCallThatHasFailedIsUndoneAndRepeated() {
        explore(
                "undone-and-repeated",
                Trouble.NONE,
                (shop, key, trouble) -> shop.undoneAndRepeated(key),
                TRANSACTIONAL);
    }

    @Test
    void aCallInATransactionOfAManagerThatReportsNothing() {
        Work unreported = (shop, key, trouble) -> shop.inTransactionThatReportsNothing(
                key, applications.beans(DataSource.class).get(0));
        explore("unreported", Trouble.SWALLOWS_AN_ERROR, unreported, TRANSACTIONAL);
    }

    @Test
    void aRepeatInATransactionTakesNoOtherConnection() {
        explore(
                "last-connection",
                Trouble.NONE,
                (shop, key, trouble) -> shop.repeatedWithTheLastConnection(key),
                TRANSACTIONAL);
    }

    @Test
    void aDuplicateInTheSameApplicationWaitsWithoutAConnection() {
        Work inFirst = (shop, key, trouble) ->
                TRANSACTIONAL.call(applications.beans(TroubledShop.class).get(0), key, trouble);
        explore("one-application", Trouble.COUNTS_CONNECTIONS, inFirst, inFirst);
    }

    @Test
    void aMessageInATransactionOfAnotherDataSourceIsRefused() {
        DataSource other = applications.database().dataSource();
        explore(
                "other-data-source",
                Trouble.NONE,
                (shop, key, trouble) -> shop.inTransactionOfAnotherDataSource(key, other),
                TRANSACTIONAL);
    }

    @Test
    void aResponseThatAsksForARepeatIsNoAnswerOfOthers() {
        Work busy = (shop, key, trouble) -> shop.offer(key, true).isBusy() ? Caller.NO_ANSWER : answerOf(shop, key);
        explore("busy", Trouble.NONE, busy, (shop, key, trouble) -> answerOf(shop, key));
    }

    private static Receipt answerOf(TroubledShop shop, String key) {
        Offer offer = shop.offer(key, false);
        if (offer.isBusy()) {
            throw new IllegalStateException("An answer that asks for a repeat was replayed");
        }
        return new Receipt(offer.id(), 5);
    }

    @Test
    void aLeaseIsNotExtendedInASnapshot() {
        Work inSnapshot = (shop, key, trouble) -> shop.leasedInSnapshot(key);
        explore("leased-in-snapshot", Trouble.NONE, inSnapshot, inSnapshot);
    }

    @Test
    void aLeasedCallIsRefusedInATransaction() {
        explore("leased-in-transaction", Trouble.NONE, (shop, key, trouble) -> shop.leasedInTransaction(key), LEASED);
    }

    @Test
    void aCallThatHasFailedDoesNotBindAnotherPayload() {
        Work other = (shop, key, trouble) -> shop.transactional(key, "other", trouble);
        explore("other-payload", Trouble.FAILS, other, TRANSACTIONAL);
    }

    @Test
    void aDuplicateThatFailsBecauseOfTheFirstExecutionIsAnswered() {
        Work only = (shop, key, trouble) -> shop.only(key);
        explore("only", Trouble.NONE, only, only);
    }

    private void explore(String name, Trouble trouble, Work first, Work others) {
        new Explorer(
                        "trouble-" + name + "-" + trouble,
                        applications.server(),
                        new Troubled(applications, trouble, first, others))
                .exploreAll(EnumSet.noneOf(Fault.class), 0);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    @Import({TroubledShop.class, TroubledShop.Offers.class, Troubled.Reports.class})
    static class WithTroubledShop {}
}
