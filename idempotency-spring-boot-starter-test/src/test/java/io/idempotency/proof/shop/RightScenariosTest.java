package io.idempotency.proof.shop;

import org.junit.jupiter.api.Tag;
import org.springframework.boot.test.context.SpringBootTest;

import io.idempotency.proof.IdempotencyProof;
import io.idempotency.proof.IdempotencyScenario;
import io.idempotency.proof.Payload;

/** Scenarios of right services; none is reported. */
@Tag("full")
@SpringBootTest(
        classes = ShopConfiguration.class,
        properties = {"spring.sql.init.mode=always", "spring.jpa.hibernate.ddl-auto=none"})
class RightScenariosTest implements IdempotencyProof {

    @IdempotencyScenario
    Object transfer(RightShop shop, Payload amount) {
        return shop.transfer("key-1", amount.either(100L, 101L));
    }

    @IdempotencyScenario
    void delta(RightShop shop) {
        shop.delta("key-1");
    }

    @IdempotencyScenario
    Object identityInTheAnswer(RightShop shop) {
        return shop.identityInTheAnswer("key-1");
    }

    @IdempotencyScenario
    void idFromSequence(RightShop shop) {
        shop.idFromSequence("key-1");
    }

    @IdempotencyScenario
    Object randomId(RightShop shop) {
        return shop.randomId("key-1");
    }

    @IdempotencyScenario
    void timeInSeconds(RightShop shop) {
        shop.timeInSeconds("key-1");
    }

    @IdempotencyScenario
    void joinedTransaction(RightShop shop) {
        shop.joinedTransaction("key-1");
    }

    @IdempotencyScenario
    void listenerBeforeCommit(RightShop shop) {
        shop.listenerBeforeCommit("key-1");
    }

    @IdempotencyScenario
    void listener(RightShop shop) {
        shop.listener("key-1");
    }

    @IdempotencyScenario
    void outbox(RightShop shop) {
        shop.outbox("key-1");
    }

    @IdempotencyScenario
    void httpWithDownstreamKey(RightShop shop) {
        shop.httpWithDownstreamKey("key-1");
    }

    @IdempotencyScenario
    Object leased(RightShop shop) {
        return shop.leased("key-1");
    }

    @IdempotencyScenario
    void leasedWithTransaction(RightShop shop) {
        shop.leasedWithTransaction("key-1");
    }

    @IdempotencyScenario
    void withoutTransactional(RightShop shop) {
        shop.withoutTransactional("key-1");
    }

    @IdempotencyScenario
    Object operations(RightShop shop) {
        return shop.operations("key-1");
    }

    @IdempotencyScenario
    void receive(RightShop shop) {
        shop.receive("key-1");
    }

    @IdempotencyScenario
    Object nested(RightShop shop) {
        return shop.nested("key-1");
    }

    @IdempotencyScenario
    Object jpa(RightShop shop) {
        return shop.jpa("key-1");
    }

    @IdempotencyScenario
    void upsert(RightShop shop) {
        shop.upsert("key-1");
    }

    @IdempotencyScenario
    void readThenWrite(RightShop shop) {
        shop.readThenWrite("key-1");
    }

    @IdempotencyScenario
    void batch(RightShop shop) {
        shop.batch("key-1");
    }
}
