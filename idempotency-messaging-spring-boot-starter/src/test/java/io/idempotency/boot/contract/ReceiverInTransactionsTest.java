package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import io.idempotency.IdempotencyContext;
import io.idempotency.Idempotent;
import io.idempotency.ReentrantCallException;
import io.idempotency.TransactionFailedException;
import io.idempotency.boot.testing.Callbacks;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.inbox.Inbox;
import io.idempotency.inbox.MessageConflictException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Deliveries inside of transactions that are others', next to calls, and in transactions inside of others. */
@ContractTest
class ReceiverInTransactionsTest {

    private final ContractApplication application;

    private final Orders orders;

    private final Bookings bookings;

    private final TransactionTemplate outer;

    ReceiverInTransactionsTest(ContractApplications applications) {
        application = applications.start(
                List.of(Bookings.class, Charges.class, Orders.class),
                "logging.level.org.springframework.transaction=off");
        orders = application.bean(Orders.class);
        bookings = application.bean(Bookings.class);
        outer = application.transaction();
    }

    @Test
    void aReceiverAndTheCallThatItMakesAreKeptTogether() {
        application.interruption().afterEffectDo(() -> {
            throw new IllegalStateException("no paper");
        });
        assertThatThrownBy(() -> orders.receive("m-1")).hasMessage("no paper");
        assertThat(application.requests()).isZero();
        assertThat(application.handledMessages()).isEmpty();
        application.interruption().reset();

        assertThat(orders.receive("m-1")).isEqualTo("attempt 2 with charge in attempt 1, back in attempt 2");
        assertThat(orders.receive("m-1")).isNull();

        assertThat(application.spent()).isEqualTo(5);
        assertThat(application.requests()).isEqualTo(1);
    }

    @Test
    void aCallAndTheMessageThatItReceivesAreKeptTogether() {
        assertThat(orders.receiveInACall("m-1")).isEqualTo(1);
        assertThat(orders.receiveInACall("m-1")).isEqualTo(1);
        assertThat(bookings.book("m-1", 5)).isNull();

        assertThat(application.spent()).isEqualTo(5);
        assertThat(application.requests()).isEqualTo(1);
    }

    @Test
    void aDuplicateLeavesTheWorkOfTheOuterTransactionAlone() {
        bookings.book("m-1", 5);

        outer.executeWithoutResult(status -> {
            bookings.makeEffect(7);
            assertThat(bookings.book("m-1", 5)).isNull();
        });

        assertThat(application.spent()).isEqualTo(12);
    }

    @Test
    void aConflictDoomsTheOuterTransaction() {
        bookings.bookOrRefuse("m-1", 5);

        assertThatThrownBy(() -> outer.executeWithoutResult(status -> {
                    bookings.makeEffect(7);
                    assertThatThrownBy(() -> bookings.bookOrRefuse("m-1", 6))
                            .isInstanceOf(MessageConflictException.class);
                }))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertThat(application.spent()).isEqualTo(5);
    }

    /** Spring looks at rollback-only before the callbacks, and not again behind them. */
    @Test
    void aConflictThatACallbackSwallowsDoomsTheTransactionToo() {
        bookings.bookOrRefuse("m-1", 5);

        assertThatThrownBy(() -> outer.executeWithoutResult(status -> {
                    bookings.makeEffect(7);
                    Callbacks.beforeCommit(() -> assertThatThrownBy(() -> bookings.bookOrRefuse("m-1", 6))
                            .isInstanceOf(MessageConflictException.class));
                }))
                .isInstanceOf(TransactionFailedException.class)
                .hasCauseInstanceOf(MessageConflictException.class);

        assertThat(application.spent()).isEqualTo(5);
    }

    @Test
    void aMessageIsNewAgainIfTheOuterTransactionIsRolledBack() {
        outer.executeWithoutResult(status -> {
            assertThat(bookings.book("m-1", 5)).isEqualTo(1);
            assertThat(bookings.book("m-1", 5)).isNull();
            status.setRollbackOnly();
        });

        assertThat(bookings.book("m-1", 5)).isEqualTo(1);
        assertThat(application.spent()).isEqualTo(5);
    }

    @Test
    void inATransactionOfItsOwnAMessageStaysHandledAndItsFailureIsCounted() {
        outer.executeWithoutResult(status -> {
            assertThat(orders.receiveApart("m-1")).isEqualTo("received");
            application.interruption().afterEffectDo(() -> {
                throw new IllegalStateException("no paper");
            });
            assertThatThrownBy(() -> orders.receiveApart("m-2")).hasMessage("no paper");
            status.setRollbackOnly();
        });

        assertThat(application.handledMessages()).containsExactly("orders-apart m-1");
        assertThat(application.messageFailures())
                .singleElement()
                .satisfies(row -> assertThat(row).containsEntry("message_id", "m-2"));
        assertThat(application.spent()).isEqualTo(5);
    }

    @Test
    void aMessageThatASuspendedTransactionIsHandlingIsRefusedAtOnce() {
        application.interruption().afterEffectDo(() -> {
            application.interruption().reset();
            orders.receiveApart("m-1");
        });

        assertThatThrownBy(() -> orders.receiveApart("m-1"))
                .isInstanceOf(ReentrantCallException.class)
                .hasMessageContaining("suspended");

        assertThat(application.handledMessages()).isEmpty();
    }

    @Test
    void aBatchOfAnAnnotatedMethodInsideOfOneWithoutATransactionIsTaken() {
        assertThat(orders.supportClaim("m-1", outer)).containsExactly("m-1");

        assertThat(application.handledMessages()).containsExactly("orders m-1");
    }

    @Test
    void anExceptionAfterTheCommitReachesTheCallerAndIsNoFailureOfTheMessage() {
        application
                .interruption()
                .afterEffectDo(() -> Callbacks.afterCommit(() -> {
                    throw new IllegalStateException("not notified");
                }));

        assertThatThrownBy(() -> bookings.book("m-1", 5)).hasMessage("not notified");

        assertThat(bookings.book("m-1", 5)).isNull();
        assertThat(application.spent()).isEqualTo(5);
        assertThat(application.messageFailures()).isEmpty();
    }

    static class Charges extends PayingBean {

        @Transactional
        @Idempotent(scope = "orders", key = "#key")
        public String charge(String key) {
            jdbc.update("update account set cents = cents - 5 where name = 'a1'");
            return "charge in attempt " + IdempotencyContext.current().attempt();
        }
    }

    static class Orders extends PayingBean {

        @Autowired
        private Charges charges;

        @Autowired
        private Bookings bookings;

        @Autowired
        private Inbox inbox;

        @Transactional
        @IdempotentReceiver(consumer = "orders", messageId = "#id")
        public String receive(String id) {
            int attempt = IdempotencyContext.current().attempt();
            String charge = charges.charge(id);
            interruption.afterEffect();
            return "attempt " + attempt + " with " + charge + ", back in attempt "
                    + IdempotencyContext.current().attempt();
        }

        @Transactional
        @Idempotent(scope = "calls", key = "#id")
        public Integer receiveInACall(String id) {
            return bookings.book(id, 5);
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @IdempotentReceiver(consumer = "orders-apart", messageId = "#id")
        public String receiveApart(String id) {
            jdbc.update("update account set cents = cents - 5 where name = 'a1'");
            interruption.afterEffect();
            return "received";
        }

        @Transactional(propagation = Propagation.SUPPORTS)
        public List<String> supportClaim(String id, TransactionTemplate transaction) {
            return transaction.execute(status -> inbox.claimNew("orders", List.of(id), same -> same));
        }
    }
}
