package io.idempotency.boot.contract;

import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;

import io.idempotency.Outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The server refuses the COMMIT that a lease is completed with, or its process dies in it. */
@ContractTest
@ParameterizedClass
@EnumSource
class LeaseWithRefusedCommitTest {

    private final ContractApplications applications;

    @Parameter
    private TransactionKind kind;

    private ContractApplication application;

    private LeasedPayments payments;

    private final JdbcTemplate jdbc;

    LeaseWithRefusedCommitTest(ContractApplications applications) {
        this.applications = applications;
        jdbc = applications.database().jdbc();
        jdbc.execute("""
                create table refusal (state text);
                create sequence commit_number;
                create function refuse() returns trigger language plpgsql as $$
                declare
                    refused text := (select state from refusal);
                begin
                    if refused is null or nextval('commit_number') > 1 then
                        return null;
                    elsif refused = 'killed' then
                        perform pg_terminate_backend(pg_backend_pid());
                    else
                        raise exception using errcode = refused;
                    end if;
                    return null;
                end $$;
                create constraint trigger refuse after insert on payment deferrable initially deferred
                for each row when (new.cents = 5) execute function refuse()""");
    }

    @BeforeParameterizedClassInvocation
    void start() {
        application = kind.start(applications, List.of(LeasedPayments.class), "idempotency.retry.delay=1ms");
        payments = application.bean(LeasedPayments.class);
    }

    @AfterEach
    void clear() {
        jdbc.execute("truncate refusal; alter sequence commit_number restart");
        jdbc.execute("drop trigger if exists refuse on idempotency.idempotency_request");
    }

    enum Refusal {
        VIOLATION("23514"),
        SERIALIZATION_FAILURE("40001"),
        /** As from a standby that is about to be promoted. */
        READ_ONLY("25006"),
        KILLED("killed");

        private final String state;

        Refusal(String state) {
            this.state = state;
        }
    }

    @ParameterizedTest
    @EnumSource
    void theMethodThatMayRunOnceIsLeftToTheNextAttempt(Refusal refusal) {
        int before = payments.executions();
        refuseOnce(refusal);

        assertThatThrownBy(() -> payments.pay("key")).isInstanceOf(RuntimeException.class);

        assertThat(payments.executions() - before).isEqualTo(1);
        assertThat(application.effects()).isZero();
        assertThat(application.request("key")).containsEntry("status", "failed_retryable");
        assertThat(payments.pay("key").attempt()).isEqualTo(2);
        assertThat(application.effects()).isEqualTo(1);
        assertThat(application.outcomes().all()).containsExactly(Outcome.FAILED, Outcome.RETRIED);
    }

    @ParameterizedTest
    @EnumSource
    void theMethodThatMayBeRepeatedIsWhereThatCanHelp(Refusal refusal) {
        int before = payments.executions();
        refuseOnce(refusal);

        if (refusal == Refusal.VIOLATION || refusal == Refusal.READ_ONLY) {
            assertThatThrownBy(() -> payments.payRepeatably("key")).isInstanceOf(RuntimeException.class);
            assertThat(payments.executions() - before).isEqualTo(1);
            assertThat(application.effects()).isZero();
            assertThat(application.request("key")).containsEntry("status", "failed_retryable");
        } else {
            assertThat(payments.payRepeatably("key").attempt()).isEqualTo(1);
            assertThat(payments.executions() - before).isEqualTo(2);
            assertThat(application.effects()).isEqualTo(1);
            assertThat(application.request("key")).containsEntry("status", "succeeded");
        }
    }

    /** What the method did is done, so that only the completion may be written again. */
    @ParameterizedTest
    @EnumSource
    void aCompletionAfterTheMethodIsRepeatedOrLeftToTheEndOfTheLease(Refusal refusal) {
        int before = payments.executions();
        application.interruption().afterEffectDo(() -> {
            jdbc.execute("""
                    create constraint trigger refuse after update on idempotency.idempotency_request
                    deferrable initially deferred for each row
                    when (new.status = 'succeeded') execute function refuse()""");
            refuseOnce(refusal);
        });

        if (refusal == Refusal.VIOLATION) {
            assertThatThrownBy(() -> payments.payWithoutTransaction("key")).isInstanceOf(RuntimeException.class);
            assertThat(application.request("key")).containsEntry("status", "processing");
            application.interruption().reset();
            application.expireLease("key");
            assertThat(payments.payWithoutTransaction("key").attempt()).isEqualTo(2);
        } else {
            assertThat(payments.payWithoutTransaction("key").attempt()).isEqualTo(1);
            assertThat(payments.executions() - before).isEqualTo(1);
            assertThat(application.effects()).isEqualTo(1);
        }
        assertThat(application.request("key")).containsEntry("status", "succeeded");
    }

    private void refuseOnce(Refusal refusal) {
        jdbc.update("insert into refusal values (?)", refusal.state);
    }
}
