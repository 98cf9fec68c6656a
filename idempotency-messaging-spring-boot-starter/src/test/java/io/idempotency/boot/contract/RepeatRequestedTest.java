package io.idempotency.boot.contract;

import java.lang.reflect.Type;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Transactional;

import io.idempotency.IdempotencyMode;
import io.idempotency.IdempotencyOperations;
import io.idempotency.Idempotent;
import io.idempotency.Outcome;
import io.idempotency.codec.ResponseCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A response that asks for a repeat, as its codec says, is returned but not stored. */
@ContractTest
@ParameterizedClass
@EnumSource(names = {"JDBC", "JPA"})
class RepeatRequestedTest {

    private final ContractApplications applications;

    @Parameter
    private TransactionKind kind;

    private ContractApplication application;

    private Shop shop;

    RepeatRequestedTest(ContractApplications applications) {
        this.applications = applications;
    }

    @BeforeParameterizedClassInvocation
    void start() {
        application = kind.start(applications, List.of(CodecOfAnswers.class, Shop.class));
        shop = application.bean(Shop.class);
    }

    @AfterEach
    void makeTheShopBusy() {
        shop.setBusy(true);
    }

    @Test
    void theTransactionOfTheCallIsRolledBack() {
        assertIsRepeated(Shop::pay, 0);
    }

    @Test
    void soIsThatOfAnOptimisticCall() {
        assertIsRepeated(Shop::payOptimistically, 0);
    }

    @Test
    void soIsThatOfALeasedCall() {
        assertIsRepeated(Shop::payLeased, 1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.RETRIED);
    }

    @Test
    void soIsThatOfAProgrammaticCall() {
        IdempotencyOperations operations = application.bean(IdempotencyOperations.class);

        assertIsRepeated(
                (shop, key) -> operations
                        .call("by-hand", key, "")
                        .returning(Answer.class)
                        .execute(shop::answer),
                0);
    }

    @Test
    void aLeasedCallWithoutATransactionKeepsOnlyThatItHasFailed() {
        assertThat(shop.callLeased("key")).isEqualTo(new Answer("busy"));

        assertThat(application.request("key"))
                .containsEntry("status", "failed_retryable")
                .containsEntry("response_body", null);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    @Test
    void aTransactionThatTheCallHasJoinedCannotCommit() {
        assertThatThrownBy(() -> application
                        .transaction()
                        .executeWithoutResult(
                                status -> assertThat(shop.pay("key")).isEqualTo(new Answer("busy"))))
                .isInstanceOf(UnexpectedRollbackException.class);

        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isZero();
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);
    }

    private void assertIsRepeated(Call call, int rowsOfTheFirst) {

        assertThat(call.of(shop, "key")).isEqualTo(new Answer("busy"));

        assertThat(application.effects()).isZero();
        assertThat(application.requests()).isEqualTo(rowsOfTheFirst);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED);

        shop.setBusy(false);
        assertThat(call.of(shop, "key")).isEqualTo(new Answer("paid"));
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.request("key")).containsEntry("status", "succeeded");
    }

    private interface Call {

        Answer of(Shop shop, String key);
    }

    record Answer(String text) {}

    static class Shop extends PayingBean {

        private volatile boolean isBusy = true;

        @Transactional
        @Idempotent(scope = "pay", key = "#key")
        public Answer pay(String key) {
            return answer();
        }

        @Idempotent(scope = "pay-optimistically", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        public Answer payOptimistically(String key) {
            return answer();
        }

        @Transactional
        @Idempotent(scope = "pay-leased", key = "#key", mode = IdempotencyMode.LEASED)
        public Answer payLeased(String key) {
            return answer();
        }

        @Idempotent(scope = "call-leased", key = "#key", mode = IdempotencyMode.LEASED, retryLeased = true)
        public Answer callLeased(String key) {
            return new Answer("busy");
        }

        void setBusy(boolean busy) {
            isBusy = busy;
        }

        Answer answer() {
            makeEffect();
            return new Answer(isBusy ? "busy" : "paid");
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class CodecOfAnswers {

        @Bean
        ResponseCodec answers() {
            return new ResponseCodec() {
                @Override
                public boolean supports(Type type) {
                    return type == Answer.class;
                }

                @Override
                public String encode(@Nullable Object response, Type type) {
                    return '"' + ((Answer) response).text() + '"';
                }

                @Override
                public Object decode(String body, Type type) {
                    return new Answer(body.replace("\"", ""));
                }

                @Override
                public boolean asksForRepeat(Object response) {
                    return response.equals(new Answer("busy"));
                }
            };
        }
    }
}
