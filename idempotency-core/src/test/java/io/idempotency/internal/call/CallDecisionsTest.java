package io.idempotency.internal.call;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.idempotency.internal.call.ScriptedCall.Form;
import io.idempotency.internal.call.ScriptedCall.Settings;
import io.idempotency.internal.call.wait.WaitBudget;

import static org.assertj.core.api.Assertions.assertThat;

/** What a call asks its database and its method, what its caller gets and what is published, as a {@link ScriptedCall} writes it. */
class CallDecisionsTest {

    private static final Duration WAIT = Duration.ofSeconds(10);

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ( claim method complete commit )                                                                | run 1, EXECUTED
            ( claim method:40001 rollback ) repeat ( claim method complete commit )                         | run 2, EXECUTED
            ( claim:40P01 rollback ) repeat ( claim method complete commit )                                | run 1, EXECUTED
            ( claim method complete:40001 rollback ) repeat ( claim method complete commit )                | run 2, EXECUTED
            ( claim method complete commit:40001 rollback ) repeat ( claim method complete commit )         | run 2, EXECUTED
            ( claim method:lost ) repeat ( claim method complete commit )                                   | run 2, EXECUTED
            ( claim method:40001 rollback ) repeat ( claim:succeeded commit )                               | stored, REPLAYED
            ( claim method:40001 rollback ) repeat ( claim:40001 rollback ) repeat ( claim method:40P01 rollback ) | 40P01, FAILED
            ( claim method:40001 rollback ) repeat ( claim method:23505 rollback )                          | 23505, FAILED
            ( claim:57014 rollback )                                                                        | 57014, FAILED
            ( claim method:fails rollback )                                                                 | IllegalStateException, FAILED
            ( claim method complete commit:23514 rollback )                                                 | 23514, FAILED
            ( claim method:fails_after_commit complete commit )                                             | 40001, EXECUTED
            (:broken                                                                                        | CannotCreateTransactionException, FAILED
            ( claim method:23505 rollback:lost )                                                            | 23505, FAILED
            """)
    void whatAPassingFailureHasRolledBackIsRepeatedUpToTheLastAttempt(String script, String end) {
        assertMade(Form.TRANSACTIONAL, attempts(3), script, end);
    }

    /** The columns: the failure of the BEGIN, of the method, of the COMMIT and of the COMMIT of a lease. */
    @ParameterizedTest
    @CsvSource(useHeadersInDisplayName = true, delimiter = '|', textBlock = """
            failure | begin | method | commit | lease
            40001   | yes   | yes    | yes    | yes
            40P01   | yes   | yes    | yes    | yes
            08000   | yes   | yes    | yes    | yes
            08001   | yes   | yes    | yes    | yes
            08006   | yes   | yes    | yes    | yes
            08P01   | yes   | yes    | yes    | yes
            57P01   | yes   | yes    | yes    | yes
            57P02   | yes   | yes    | yes    | yes
            57P03   | yes   | yes    | yes    | yes
            57014   | no    | no     | no     | no
            55P03   | no    | no     | no     | no
            53300   | no    | no     | no     | no
            25P02   | no    | no     | no     | no
            25006   | no    | no     | no     | no
            23505   | no    | no     | no     | no
            broken  | no    | no     | yes    | yes
            """)
    void theSqlStateDecidesWhatIsRepeated(String failure, String begin, String method, String commit, String lease) {
        assertRepeated(begin, Form.TRANSACTIONAL, "(:" + failure, "( claim method complete commit )");
        assertRepeated(
                method, Form.TRANSACTIONAL, "( claim method:" + failure + " rollback )", "( claim:succeeded commit )");
        assertRepeated(
                commit,
                Form.TRANSACTIONAL,
                "( claim method complete commit:" + failure + " rollback )",
                "( claim:succeeded commit )");
        assertRepeated(lease, Form.LEASED, "( claim:" + failure + " rollback )", "( claim:succeeded )");
    }

    private static void assertRepeated(String isRepeated, Form form, String failing, String repeat) {
        String script = isRepeated.equals("yes") ? failing + " repeat " + repeat : failing;
        assertThat(new ScriptedCall(form, attempts(2), script).make()).startsWith(script + " -> ");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ( claim method:40001 rollback )                                  | 40001, FAILED
            ( claim method complete commit:lost ) ( claim:succeeded rollback ) | stored, REPLAYED
            ( claim method complete commit:lost ) ( claim rollback )         | 08006, FAILED
            """)
    void afterTheTimeForRepeatsNoneIsReportedButACommitIsAskedFor(String script, String end) {
        Settings late = new Settings(3, Duration.ofMillis(1), WAIT, false);

        assertMade(Form.TRANSACTIONAL, late, script, end);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ( claim method complete commit )              | run 1, EXECUTED
            ( claim:succeeded commit )                    | stored, REPLAYED
            ( claim method:40001 rollback )               | 40001, FAILED
            ( claim method:lost )                         | 08003, FAILED
            ( claim method:declines rollback )            | Declined, FAILED
            ( claim:leased rollback )                     | RequestInProgressException, IN_PROGRESS
            ( claim method complete commit:lost )         | 08006, FAILED
            ( claim method complete commit:40001 rollback ) | 40001, FAILED
            """)
    void aCallThatHasJoinedATransactionLeavesEverythingToIt(String script, String end) {
        assertMade(Form.JOINED, new Settings(3, Duration.ZERO, WAIT, true), script, end);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            TRANSACTIONAL | ( claim method complete commit:lost ) ( claim:succeeded rollback )                 | stored, REPLAYED
            TRANSACTIONAL | ( claim method complete commit:lost ) ( claim rollback )                           | 08006, FAILED
            TRANSACTIONAL | ( claim method complete commit:lost ) ( claim:granted_retry rollback )             | 08006, FAILED
            TRANSACTIONAL | ( claim method complete commit:lost ) ( claim:failed_finally rollback )            | RecordedFailureException, FAILURE_REPLAYED
            TRANSACTIONAL | ( claim method complete commit:lost ) ( claim:key_reused rollback )                | KeyReusedException, KEY_REUSED
            TRANSACTIONAL | ( claim method complete commit:lost ) ( claim:in_progress rollback )               | OutcomeUnknownException, FAILED
            TRANSACTIONAL | ( claim method complete commit:lost ) ( claim:42P01 rollback )                     | OutcomeUnknownException, FAILED
            TRANSACTIONAL | ( claim method complete commit:lost ) ( claim:lost ) ( claim:succeeded rollback )  | stored, REPLAYED
            TRANSACTIONAL | ( claim method complete commit:lost ) (:broken ( claim:succeeded rollback )   | stored, REPLAYED
            TRANSACTIONAL | ( claim method complete commit:lost ) ( claim:25006 rollback ) ( claim:succeeded rollback ) | stored, REPLAYED
            ROW_ALONE     | ( method insert commit:lost ) ( claim:succeeded rollback )                         | stored, REPLAYED
            ROW_ALONE     | ( method insert commit:lost ) ( claim rollback )                                   | 08006, FAILED
            OPTIMISTIC    | ( method send:lost ) ( record )                                             | 08006, FAILED
            OPTIMISTIC    | ( method send:lost ) ( record:no ) ( claim:succeeded rollback )             | stored, REPLAYED
            OPTIMISTIC    | ( method send:lost ) ( record:no ) ( claim rollback )                       | OutcomeUnknownException, FAILED
            OPTIMISTIC    | ( method send:lost ) ( record:42P01 rollback )                                     | OutcomeUnknownException, FAILED
            WRITE         | ( write:lost ) ( record:lost ) ( record )                                   | 08006, FAILED
            WRITE         | ( write:lost ) ( record:no ) ( claim:succeeded rollback )                   | stored, REPLAYED
            WRITE         | ( write:lost ) ( record:no ) ( claim:in_progress rollback )                 | OutcomeUnknownException, FAILED
            """)
    void whatBecameOfACommitWithoutAnAnswerIsAskedAfterTheLastAttempt(Form form, String script, String end) {
        assertMade(form, attempts(1), script, end);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            TRANSACTIONAL | ( claim method complete commit:lost ) repeat ( claim:succeeded commit )                                  | stored, REPLAYED
            TRANSACTIONAL | ( claim method complete commit:lost ) repeat ( claim method complete commit )                            | run 2, EXECUTED
            TRANSACTIONAL | ( claim method complete commit:lost ) repeat ( claim method:fails rollback )                             | IllegalStateException, FAILED
            TRANSACTIONAL | ( claim method complete commit:lost ) repeat ( claim:in_progress rollback ) ( claim:succeeded rollback ) | stored, REPLAYED
            TRANSACTIONAL | ( claim method complete commit:lost ) repeat ( claim:lost ) ( claim:succeeded rollback )                 | stored, REPLAYED
            TRANSACTIONAL | ( claim method complete commit:lost ) repeat ( claim:lost ) ( claim rollback )                           | 08006, FAILED
            OPTIMISTIC    | ( method send:lost ) repeat ( claim method:fails rollback ) ( record )                            | IllegalStateException, FAILED
            OPTIMISTIC    | ( method send:lost ) repeat ( claim:granted_retry method:fails rollback )                                | IllegalStateException, FAILED
            WRITE         | ( write:lost ) repeat ( claim write complete commit )                                                    | written, EXECUTED
            WRITE         | ( write:lost ) repeat ( claim:lost ) ( record )                                                   | 08006, FAILED
            """)
    void theNextAttemptAnswersForACommitOrItIsAskedFor(Form form, String script, String end) {
        assertMade(form, attempts(2), script, end);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            ROW_ALONE  | ( method insert commit )                                                             | run 1, EXECUTED
            ROW_ALONE  | ( method insert:23505 rollback ) ( claim:succeeded commit )                          | stored, REPLAYED
            ROW_ALONE  | ( method insert:23505 rollback ) ( claim method complete commit )                    | run 2, EXECUTED
            ROW_ALONE  | ( method insert:55P03 rollback ) ( claim:in_progress rollback )                      | RequestInProgressException, IN_PROGRESS
            ROW_ALONE  | ( method insert commit:40001 rollback ) ( claim:succeeded commit )                   | stored, REPLAYED
            OPTIMISTIC | ( method:fails rollback ) ( find rollback )                                          | IllegalStateException, FAILED
            OPTIMISTIC | ( method:fails rollback ) ( find:succeeded rollback ) ( claim:succeeded commit )     | stored, REPLAYED
            OPTIMISTIC | ( method:fails rollback ) ( find:42P01 rollback ) ( claim:succeeded commit )         | stored, REPLAYED
            OPTIMISTIC | ( method:fails rollback ) ( find:succeeded rollback ) ( claim:failed_finally rollback ) | RecordedFailureException, FAILURE_REPLAYED
            OPTIMISTIC | ( method:40001 rollback ) ( find rollback ) repeat ( claim method complete commit )  | run 2, EXECUTED
            OPTIMISTIC | ( method:lost ) repeat ( claim method complete commit )                              | run 2, EXECUTED
            ROW_ALONE  | ( method insert:lost ) repeat ( claim:succeeded commit )                             | stored, REPLAYED
            ROW_ALONE  | ( method insert commit:lost ) repeat ( claim:succeeded commit )                      | stored, REPLAYED
            OPTIMISTIC | ( method send commit )                                                               | run 1, EXECUTED
            OPTIMISTIC | ( method send:55P03 rollback ) ( claim:in_progress rollback )                        | RequestInProgressException, IN_PROGRESS
            OPTIMISTIC | ( method send:lost ) repeat ( claim:succeeded commit )                               | stored, REPLAYED
            OPTIMISTIC | ( method send:broken rollback ) repeat ( claim:succeeded commit )                    | stored, REPLAYED
            OPTIMISTIC | ( method send:23505 rollback ) ( claim:succeeded commit )                            | stored, REPLAYED
            OPTIMISTIC | ( method send:23505 rollback ) ( claim method complete commit )                      | run 2, EXECUTED
            WRITE      | ( write )                                                                            | written, EXECUTED
            WRITE      | ( write:23505 rollback ) ( claim:succeeded commit )                                  | stored, REPLAYED
            WRITE      | ( write:23505 rollback ) ( claim write:23505 rollback )                              | 23505, FAILED
            """)
    void anAttemptBeforeItsClaimIsUndoneWhereTheKeyMayHaveARow(Form form, String script, String end) {
        assertMade(form, attempts(2), script, end);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            LEASED            | ( claim ) method ( complete )                                                            | run 1, EXECUTED
            LEASED            | ( claim:granted_recovery ) method ( complete )                                           | run 1, RECOVERED
            LEASED            | ( claim:succeeded )                                                                      | stored, REPLAYED
            LEASED            | ( claim:23514 rollback )                                                                 | 23514, FAILED
            LEASED            | ( claim:lost ) repeat ( claim ) method ( complete )                                      | run 1, EXECUTED
            LEASED            | ( claim:granted_retry_lost ) repeat ( claim:granted_recovery ) method ( complete )       | run 1, RETRIED
            LEASED            | ( claim:lost ) repeat ( claim:succeeded )                                                | stored, REPLAYED
            LEASED            | ( claim:lost ) repeat ( claim:lost ) ( claim ) method ( complete )                       | run 1, EXECUTED
            LEASED            | ( claim:lost ) repeat ( claim:lost ) ( claim:lost ) ( claim:succeeded )                  | stored, REPLAYED
            LEASED            | ( claim:lost ) repeat ( claim:lost ) ( claim:42P01 rollback )                            | OutcomeUnknownException, FAILED
            LEASED            | ( claim:lost ) repeat ( claim:23514 rollback ) ( claim:23514 rollback )                  | OutcomeUnknownException, FAILED
            LEASED            | ( claim:lost ) repeat ( claim:in_progress rollback )                                     | OutcomeUnknownException, FAILED
            LEASED            | ( claim:unfound ) repeat ( claim:unfound )                                               | 08006, FAILED
            LEASED            | ( claim:40001 rollback ) repeat ( claim:40001 rollback )                                 | 40001, FAILED
            LEASED            | ( claim ) method:40001 ( fail )                                                          | 40001, FAILED
            LEASED_REPEATABLE | ( claim ) ( method:40001 rollback ) repeat ( method complete commit )                    | run 2, EXECUTED
            LEASED_REPEATABLE | ( claim ) ( method:lost ) repeat ( method:40P01 rollback ) ( fail )                      | 40P01, FAILED
            LEASED_REPEATABLE | ( claim ) ( method:23505 rollback ) ( fail )                                             | 23505, FAILED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method complete commit ) | run 2, EXECUTED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method complete:2201G rollback ) ( find:succeeded commit ) ( find:succeeded commit ) | stored, REPLAYED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method complete:2201G rollback ) ( find:reclaimed commit ) ( find:reclaimed commit ) | LeaseLostException, LEASE_LOST
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method complete:lost ) ( find:succeeded commit ) | stored, EXECUTED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method complete:lost ) ( find:processing commit ) ( fail:no rollback ) ( find:succeeded commit ) | stored, REPLAYED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method complete:2201G rollback ) ( find:succeeded commit ) ( find:42P01 rollback ) | OutcomeUnknownException, FAILED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method:23505 rollback ) ( fail ) | 23505, FAILED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method:23505 rollback ) ( fail:no rollback ) ( find:succeeded commit ) | stored, REPLAYED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method:23505 rollback ) ( fail:no rollback ) ( find:reclaimed commit ) | LeaseLostException, LEASE_LOST
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method:23505 rollback ) ( fail:42P01 rollback ) | OutcomeUnknownException, FAILED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method:23505 rollback ) ( fail:no rollback ) ( find:42P01 rollback ) | OutcomeUnknownException, FAILED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method:fails rollback ) ( fail:57014 rollback ) | OutcomeUnknownException, FAILED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method:fails_untranslatably rollback ) | OutcomeUnknownException, FAILED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method:declines rollback ) ( fail:no rollback ) ( find:succeeded commit ) ( find:succeeded commit ) | stored, REPLAYED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat (:broken ( fail:no rollback ) ( find:succeeded commit ) | stored, REPLAYED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:processing commit ) repeat ( method complete commit:23514 rollback ) ( fail:no rollback ) ( find:succeeded commit ) | stored, REPLAYED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:42P01 rollback )                               | OutcomeUnknownException, FAILED
            LEASED_REPEATABLE | ( claim ) ( method complete:lost ) ( find:reclaimed commit )                             | LeaseLostException, LEASE_LOST
            LEASED_REPEATABLE | ( claim ) ( method complete:40001 rollback ) ( find:reclaimed commit )                   | LeaseLostException, LEASE_LOST
            """)
    void aLeasedMethodRunsUnderACommittedClaimAndAgainOnlyIfItMay(Form form, String script, String end) {
        assertMade(form, attempts(2), script, end);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            LEASED                | method ( complete:lost ) ( complete )                                              | run 1, EXECUTED
            LEASED                | method (:broken ( complete )                                                       | run 1, EXECUTED
            LEASED                | method ( complete:lost ) ( complete:25006 rollback ) ( complete )                  | run 1, EXECUTED
            LEASED                | method ( complete:lost ) ( complete:no rollback ) ( find:succeeded commit )        | run 1, EXECUTED
            LEASED                | method ( complete:no rollback ) ( find:reclaimed commit )                          | LeaseLostException, LEASE_LOST
            LEASED                | method ( complete:no rollback ) ( find commit )                                    | LeaseLostException, LEASE_LOST
            LEASED                | method ( complete:23514 rollback )                                                 | 23514, FAILED
            LEASED                | method ( complete:lost ) ( complete:23514 rollback )                               | OutcomeUnknownException, FAILED
            LEASED                | method ( complete:57014 rollback )                                                 | OutcomeUnknownException, FAILED
            LEASED                | method:extends ( extend:57014 rollback ) ( fail:57014 rollback )                   | OutcomeUnknownException, FAILED
            LEASED                | method:extends ( extend ) ( complete )                                             | run 1, EXECUTED
            LEASED                | method:extends ( extend:no )                                                       | LeaseLostException, LEASE_LOST
            LEASED                | method:extends ( extend:lost ) ( extend ) ( complete )                             | run 1, EXECUTED
            LEASED                | method:extends ( extend:lost ) ( extend:no )                                       | LeaseLostException, LEASE_LOST
            LEASED_IN_TRANSACTION | ( method complete commit )                                                         | run 1, EXECUTED
            LEASED_IN_TRANSACTION | ( method complete:2201G rollback ) ( find:reclaimed commit )                       | LeaseLostException, LEASE_LOST
            LEASED_IN_TRANSACTION | ( method complete:40001 rollback ) ( find:reclaimed commit )                       | LeaseLostException, LEASE_LOST
            LEASED_IN_TRANSACTION | ( method complete:40001 rollback ) ( find:processing commit ) ( fail )             | 40001, FAILED
            LEASED_IN_TRANSACTION | ( method complete:40001 rollback ) ( find:57014 rollback ) ( fail )                | OutcomeUnknownException, FAILED
            LEASED_IN_TRANSACTION | ( method complete:57014 rollback ) ( find:57014 rollback ) ( fail:57014 rollback ) | OutcomeUnknownException, FAILED
            LEASED_IN_TRANSACTION | ( method complete:57014 rollback ) ( find:reclaimed commit )                       | LeaseLostException, LEASE_LOST
            LEASED_IN_TRANSACTION | ( method complete:57014 rollback ) ( find:processing commit ) ( fail )             | 57014, FAILED
            LEASED_IN_TRANSACTION | ( method complete commit:23514 rollback ) ( fail )                                 | 23514, FAILED
            LEASED_IN_TRANSACTION | ( method complete:lost ) ( find:succeeded commit )                                 | run 1, EXECUTED
            LEASED_IN_TRANSACTION | ( method complete:lost ) ( find:lost ) ( find:succeeded commit )                   | run 1, EXECUTED
            LEASED_IN_TRANSACTION | ( method complete:lost ) ( find:processing commit ) ( fail )                       | 08006, FAILED
            LEASED_IN_TRANSACTION | ( method complete:lost ) ( find:processing commit ) ( fail:no rollback ) ( find:succeeded commit ) | stored, REPLAYED
            LEASED_IN_TRANSACTION | ( method complete:lost ) ( find:processing commit ) ( fail:no rollback ) ( find:reclaimed commit ) | LeaseLostException, LEASE_LOST
            LEASED_IN_TRANSACTION | ( method complete:lost ) ( find:processing commit ) ( fail:no rollback ) ( find:42P01 rollback ) | OutcomeUnknownException, FAILED
            LEASED_IN_TRANSACTION | ( method complete:lost ) ( find:processing commit ) ( fail:42P01 rollback )        | OutcomeUnknownException, FAILED
            LEASED_IN_TRANSACTION | ( method complete:2201G rollback ) ( find:processing commit ) ( fail )             | 2201G, FAILED
            LEASED_BEFORE_COMMIT  | ( method complete commit )                                                         | run 1, EXECUTED
            LEASED_BEFORE_COMMIT  | ( method complete:no rollback )                                                    | LeaseLostException, LEASE_LOST
            LEASED_BEFORE_COMMIT  | ( method complete:40001 ( find:reclaimed commit ) rollback )                       | LeaseLostException, LEASE_LOST
            LEASED_BEFORE_COMMIT  | ( method complete commit:lost ) ( find:succeeded commit )                          | run 1, EXECUTED
            LEASED_BEFORE_COMMIT  | ( method complete commit:lost ) ( find:processing commit ) ( fail:no rollback )    | 08006, FAILED
            LEASED_IN_TRANSACTION | ( method complete:lost ) ( find:reclaimed commit )                                 | LeaseLostException, LEASE_LOST
            LEASED_IN_TRANSACTION | ( method complete:lost ) ( find:42P01 rollback )                                   | OutcomeUnknownException, FAILED
            LEASED_IN_TRANSACTION | ( method:extends ( extend:no ) rollback )                                          | LeaseLostException, LEASE_LOST
            """)
    void aMethodThatReturnedIsCompletedUnlessItsLeaseIsLost(Form form, String script, String end) {
        assertMade(form, attempts(1), "( claim ) " + script, end);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            method:step work ( step ) ( complete )                                                               | run 1, EXECUTED
            method:step work ( step:lost ) ( step ) ( complete )                                                 | run 1, EXECUTED
            method:step work ( step:lost ) ( step:no rollback ) ( find:step commit ) ( complete )                | run 1, EXECUTED
            method:step work ( step:lost ) ( step:no rollback ) ( find:processing commit )                       | LeaseLostException, LEASE_LOST
            method:step work ( step:lost ) ( step:no rollback ) ( find:reclaimed rollback )                      | LeaseLostException, LEASE_LOST
            method:step work ( step:lost ) ( step:23514 rollback ) ( fail )                                      | 23514, FAILED
            method:step work ( step:no rollback ) ( find:processing commit )                                     | LeaseLostException, LEASE_LOST
            method:step work ( step:no rollback ) ( find:reclaimed rollback )                                    | LeaseLostException, LEASE_LOST
            method:step work ( step:no rollback ) ( find:42P01 rollback ) ( fail )                               | 42P01, FAILED
            method:step work ( step:no rollback ) ( find:57014 rollback ) ( fail )                               | OutcomeUnknownException, FAILED
            method:step work ( step:42P01 rollback ) ( fail )                                                    | 42P01, FAILED
            method:step work ( step:57014 rollback ) ( fail )                                                    | OutcomeUnknownException, FAILED
            method:step work:40001 ( fail )                                                                      | 40001, FAILED
            method:step_in_transaction ( work step commit ) ( complete )                                         | run 1, EXECUTED
            method:step_in_transaction ( work step:no rollback )                                                 | LeaseLostException, LEASE_LOST
            method:step_in_transaction ( work step:57014 rollback ) ( fail )                                     | OutcomeUnknownException, FAILED
            method:step_in_transaction ( work step:lost ) ( fail )                                               | 08006, FAILED
            method:step_in_transaction ( work step commit:23514 rollback ) ( fail )                              | 23514, FAILED
            method:step_in_transaction ( work step commit:lost ) ( find:step commit ) ( complete )               | run 1, EXECUTED
            method:step_in_transaction ( work step commit:lost ) ( find:lost ) ( find:step commit ) ( complete ) | run 1, EXECUTED
            method:step_in_transaction ( work step commit:lost ) ( find:processing commit ) ( fail )             | 08006, FAILED
            method:step_in_transaction ( work step commit:lost ) ( find:reclaimed rollback )                     | LeaseLostException, LEASE_LOST
            method:step_in_transaction ( work step commit:lost ) ( find:42P01 rollback ) ( fail )                | OutcomeUnknownException, FAILED
            method:step_in_transaction ( work step commit:lost ) ( find:57014 rollback ) ( fail )                | OutcomeUnknownException, FAILED
            method:step_in_transaction ( work:40001 rollback ) ( fail )                                          | 40001, FAILED
            """)
    void aStepIsRecordedUnlessItsLeaseIsLost(String script, String end) {
        assertMade(Form.LEASED, attempts(1), "( claim ) " + script, end);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            TRANSACTIONAL | no  | ( claim method:declines rollback ) ( record )                                            | Declined, FAILED_FINAL
            TRANSACTIONAL | no  | ( claim method:declines rollback ) ( record:no ) ( claim:succeeded rollback )            | stored, REPLAYED
            TRANSACTIONAL | no  | ( claim method:declines rollback ) ( record:no ) ( claim rollback ) ( record )           | Declined, FAILED_FINAL
            TRANSACTIONAL | no  | ( claim method:declines rollback ) ( record:42P01 rollback )                             | Declined, FAILED
            TRANSACTIONAL | no  | ( claim method:declines rollback:lost ) ( record )                                       | Declined, FAILED_FINAL
            TRANSACTIONAL | no  | ( claim method:extends rollback )                                                        | IllegalStateException, FAILED
            TRANSACTIONAL | no  | ( claim:failed_finally rollback )                                                        | RecordedFailureException, FAILURE_REPLAYED
            TRANSACTIONAL | no  | ( claim method:fails rollback )                                                          | IllegalStateException, FAILED
            TRANSACTIONAL | yes | ( claim method:fails rollback ) ( record )                                               | IllegalStateException, FAILED
            TRANSACTIONAL | yes | ( claim method:fails_untranslatably rollback )                                           | UnsupportedOperationException, FAILED
            TRANSACTIONAL | yes | ( claim method:fails_its_translator rollback )                                           | IllegalMonitorStateException, FAILED
            TRANSACTIONAL | yes | ( claim method complete commit:23514 rollback ) ( record )                               | 23514, FAILED
            TRANSACTIONAL | yes | ( claim method:40001 rollback )                                                          | 40001, FAILED
            TRANSACTIONAL | yes | ( claim:42P01 rollback )                                                                 | 42P01, FAILED
            TRANSACTIONAL | yes | ( claim method complete commit:lost ) ( claim rollback )                                 | 08006, FAILED
            TRANSACTIONAL | yes | ( claim method:fails_after_commit complete commit )                                      | 40001, EXECUTED
            LEASED        | no  | ( claim ) method:fails ( fail )                                                          | IllegalStateException, FAILED
            LEASED        | no  | ( claim ) method:fails ( fail:no rollback )                                              | IllegalStateException, FAILED
            LEASED        | no  | ( claim ) method:fails_untranslatably                                                    | UnsupportedOperationException, FAILED
            LEASED        | no  | ( claim ) method:declines ( fail )                                                       | Declined, FAILED_FINAL
            LEASED        | no  | ( claim ) method:declines ( fail:lost ) ( fail )                                         | Declined, FAILED_FINAL
            LEASED        | no  | ( claim ) method:declines ( fail:42P01 rollback )                                        | Declined, FAILED
            LEASED        | no  | ( claim ) method:declines ( fail:57014 rollback )                                        | OutcomeUnknownException, FAILED
            LEASED        | no  | ( claim ) method:declines ( fail:no rollback ) ( find:57014 rollback )                   | OutcomeUnknownException, FAILED
            LEASED        | no  | ( claim ) method:fails ( fail:57014 rollback )                                           | IllegalStateException, FAILED
            LEASED        | no  | ( claim ) method:extends ( extend:57014 rollback ) ( fail:no rollback )                  | OutcomeUnknownException, FAILED
            LEASED        | no  | ( claim ) method:declines ( fail:no rollback ) ( find:reclaimed commit )                 | LeaseLostException, LEASE_LOST
            LEASED        | no  | ( claim ) method:declines ( fail:lost ) ( fail:no rollback ) ( find:failed_final commit ) | Declined, FAILED_FINAL
            """)
    void aFailureIsRecordedIfItIsFinalOrAllAre(Form form, String recordsAll, String script, String end) {
        assertMade(form, new Settings(1, Duration.ZERO, WAIT, recordsAll.equals("yes")), script, end);
    }

    /** The database counts from the claim's statement. */
    @Test
    void aHolderNeverBelievesInItsLeaseForLongerThanTheDatabase() {
        String script = "( claim:slow ) method ( complete )";
        ScriptedCall call = new ScriptedCall(Form.LEASED, attempts(1), script);

        assertThat(call.make()).isEqualTo(script + " -> run 1, EXECUTED");
        assertThat(call.leaseRemaining()).isLessThanOrEqualTo(ScriptedCall.LEASE.minus(ScriptedCall.SLOW));
    }

    @Test
    void aLeaseOfAnotherIsWaitedForUntilTheWaitIsOver() {
        Duration wait = Duration.ofMillis(60);
        ScriptedCall call = new ScriptedCall(
                Form.LEASED,
                new Settings(1, Duration.ZERO, wait, false),
                "( claim:leased ) ".repeat(1_000).trim());

        assertThat(call.make()).endsWith("( claim:leased ) -> RequestInProgressException, IN_PROGRESS");
        assertThat(call.waitLimits().get(0)).isBetween(WaitBudget.SHORTEST_WAIT, wait);
    }

    @Test
    void aLeaseThatHasEndedIsTakenOverWithTheRestOfTheWait() {
        ScriptedCall call = new ScriptedCall(
                Form.LEASED, attempts(1), "( claim:leased ) ( claim:granted_recovery ) method ( complete )");

        assertThat(call.make()).endsWith("method ( complete ) -> run 1, RECOVERED");
        assertThat(call.waitLimits().get(1)).isLessThan(WAIT);
    }

    private static Settings attempts(int most) {
        return new Settings(most, Duration.ZERO, WAIT, false);
    }

    private static void assertMade(Form form, Settings settings, String script, String end) {
        assertThat(new ScriptedCall(form, settings, script).make()).isEqualTo(script + " -> " + end);
    }
}
