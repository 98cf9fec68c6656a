package io.idempotency.proof.shop;

import java.sql.SQLException;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;

/** The scenarios of wrong services, each of which is expected to fail. */
@SpringBootTest(
        classes = ShopConfiguration.class,
        properties = {"spring.sql.init.mode=always", "spring.jpa.hibernate.ddl-auto=none"})
class WrongScenarios implements IdempotencyProof {

    @IdempotencyScenario
    void auditInRequiresNew(WrongShop shop) {
        shop.auditInRequiresNew("key-1");
    }

    @IdempotencyScenario
    void twoWritersInOneLine(WrongShop shop) {
        shop.twoWritersInOneLine("key-1");
    }

    @IdempotencyScenario
    void writerBeforeTheCall(WrongShop shop, JdbcTemplate jdbc) {
        jdbc.update("insert into once values (2) on conflict do nothing");
        shop.upsertInRequiresNew("key-1");
    }

    @IdempotencyScenario
    void receiveInRequiresNew(WrongShop shop) {
        shop.receiveInRequiresNew("key-1");
    }

    @IdempotencyScenario
    void upsertInRequiresNew(WrongShop shop) {
        shop.upsertInRequiresNew("key-1");
    }

    @IdempotencyScenario
    void messageInRequiresNew(WrongShop shop) {
        shop.messageInRequiresNew("key-1");
    }

    @IdempotencyScenario
    void ownCommit(WrongShop shop) throws SQLException {
        shop.ownCommit("key-1");
    }

    @IdempotencyScenario
    void eventListenerAfterCommit(WrongShop shop) {
        shop.eventListenerAfterCommit("key-1");
    }

    @IdempotencyScenario
    void afterCompletion(WrongShop shop) {
        shop.afterCompletion("key-1");
    }

    @IdempotencyScenario
    Object keyMadeInside(WrongShop shop) {
        return shop.keyMadeInside();
    }

    @IdempotencyScenario
    Object randomIdInKey(WrongShop shop) {
        return shop.randomIdInKey("key-1");
    }

    @IdempotencyScenario
    void selfInvocation(WrongShop shop) {
        shop.selfInvocation("key-1");
    }

    @IdempotencyScenario
    Object effectBeforeTheBoundary(WrongShop shop) {
        return shop.effectBeforeTheBoundary("key-1");
    }

    @IdempotencyScenario
    void secondDataSource(WrongShop shop) {
        shop.secondDataSource("key-1");
    }

    @IdempotencyScenario
    void httpWithoutDownstreamKey(WrongShop shop) {
        shop.httpWithoutDownstreamKey("key-1");
    }

    @IdempotencyScenario
    void httpWithAndWithoutDownstreamKey(WrongShop shop) {
        shop.httpWithAndWithoutDownstreamKey("key-1");
    }

    @IdempotencyScenario
    void counterInCache(WrongShop shop) {
        shop.counterInCache("key-1");
    }

    @IdempotencyScenario
    void fileWritten(WrongShop shop) {
        shop.fileWritten("key-1");
    }

    @IdempotencyScenario
    void asyncWrite(WrongShop shop) {
        shop.asyncWrite("key-1");
    }

    @IdempotencyScenario
    void autoCommit(WrongShop shop) throws SQLException {
        shop.autoCommit("key-1");
    }

    @IdempotencyScenario
    void sequenceAsMoney(WrongShop shop) {
        shop.sequenceAsMoney("key-1");
    }

    @IdempotencyScenario
    void upsertThatAdds(WrongShop shop) {
        shop.upsertThatAdds("key-1");
    }

    @IdempotencyScenario
    void triggerThatAddsOutside(WrongShop shop) {
        shop.triggerThatAddsOutside("key-1");
    }

    @IdempotencyScenario
    Object randomPartStoredElsewhere(WrongShop shop) {
        return shop.randomPartStoredElsewhere("key-1");
    }

    @IdempotencyScenario
    void exceptionSwallowed(WrongShop shop) {
        shop.exceptionSwallowed("key-1");
    }

    @IdempotencyScenario
    void exceptionSwallowedOutside(WrongShop shop) {
        shop.exceptionSwallowedOutside("key-1");
    }

    @IdempotencyScenario
    void noRollbackFor(WrongShop shop) {
        shop.noRollbackFor("key-1");
    }

    @IdempotencyScenario
    void readThenWrite(WrongShop shop) {
        shop.readThenWrite("key-1");
    }

    @IdempotencyScenario
    void plainTransactional(WrongShop shop) {
        shop.plainTransactional("key-1");
    }

    @IdempotencyScenario
    void retryableWithoutKey(WrongShop shop) {
        shop.retryableWithoutKey("key-1");
    }

    @IdempotencyScenario
    void viewInRequiresNew(WrongShop shop) {
        shop.viewInRequiresNew("key-1");
    }

    @IdempotencyScenario
    void functionInRequiresNew(WrongShop shop) {
        shop.functionInRequiresNew("key-1");
    }

    @IdempotencyScenario
    void copyInRequiresNew(WrongShop shop) {
        shop.copyInRequiresNew("key-1");
    }

    @IdempotencyScenario
    void auditOfRollbacks(WrongShop shop) {
        shop.auditOfRollbacks("key-1");
    }

    @IdempotencyScenario
    void neverAgain(WrongShop shop) {
        shop.neverAgain("key-1");
    }

    @IdempotencyScenario
    void consequence(WrongShop shop) {
        shop.consequence("key-1");
    }

    @IdempotencyScenario
    void twoBugs(WrongShop shop) {
        shop.twoBugs("key-1");
    }

    @IdempotencyScenario
    void ticketsLikeIds(WrongShop shop) {
        shop.ticketsLikeIds("key-1");
    }

    @IdempotencyScenario
    void workAfterTheCall(WrongShop shop) {
        shop.workAfterTheCall("key-1");
    }

    @IdempotencyScenario
    void failureSwallowedOutside(WrongShop shop) {
        shop.failureSwallowedOutside("key-1");
    }
}
