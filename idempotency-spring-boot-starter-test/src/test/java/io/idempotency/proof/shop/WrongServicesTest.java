package io.idempotency.proof.shop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

/** Each service that is wrong in a known way is reported, with the reason and the line. */
@Tag("full")
class WrongServicesTest {

    private static final Path SOURCES = Path.of("src/test/java/io/idempotency/proof/shop");

    private static final String NO_KEY =
            "no key was claimed, because the method is not @Idempotent or was not called through its Spring proxy; it is written";

    private static Map<String, List<String>> messages;

    private static Map<String, String> apart;

    private static Map<String, List<String>> skipped;

    /** The names of the tests that failed, or were skipped because another one had told the cause. */
    private static Map<String, List<String>> wrong;

    private static Map<String, List<StackTraceElement>> frames;

    @BeforeAll
    static void run() {
        EngineExecutionResults results = EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(WrongScenarios.class))
                .execute();
        messages = byScenario(
                results.testEvents().failed().stream().filter(event -> !isOfOneTransaction(event)),
                WrongServicesTest::message);
        apart = results.testEvents().failed().stream()
                .filter(WrongServicesTest::isOfOneTransaction)
                .collect(Collectors.toMap(event -> scenario(event).getDisplayName(), WrongServicesTest::message));
        skipped = byScenario(results.testEvents().aborted().stream(), WrongServicesTest::message);
        wrong = byScenario(
                Stream.concat(results.testEvents().failed().stream(), results.testEvents().aborted().stream()),
                event -> event.getTestDescriptor().getDisplayName());
        frames = byScenario(
                results.testEvents().failed().stream(), event -> failure(event).getStackTrace()[0]);
    }

    private static <T> Map<String, List<T>> byScenario(Stream<Event> events, Function<Event, T> value) {
        return events.collect(Collectors.groupingBy(
                event -> scenario(event).getDisplayName(),
                TreeMap::new,
                Collectors.mapping(value, Collectors.toList())));
    }

    private static boolean isOfOneTransaction(Event event) {
        return event.getTestDescriptor().getDisplayName().endsWith(": one transaction");
    }

    /** Some of these rows may be written twice, so that no fault shows them. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '>',
            quoteCharacter = '~',
            value = {
                "upsertInRequiresNew > Audit > upsert > once > in a transaction of its own (REQUIRES_NEW) > Audit.upsert",
                "auditInRequiresNew > Audit > inNewTransaction > audit > in a transaction of its own (REQUIRES_NEW) > Audit.inNewTransaction",
                "twoWritersInOneLine > Audit > add > audit > in a transaction of its own (REQUIRES_NEW) > Audit.addInNewTransaction",
                "writerBeforeTheCall > Audit > upsert > once > in a transaction of its own (REQUIRES_NEW) > Audit.upsert",
                "receiveInRequiresNew > Audit > inNewTransaction > audit > in a transaction of its own (REQUIRES_NEW) > Audit.inNewTransaction",
                "messageInRequiresNew > Audit > publish > outbox_event > in a transaction of its own (REQUIRES_NEW) > Audit.publishInNewTransaction",
                "ownCommit > WrongShop > ownCommit > audit > on a connection of its own, which it commits itself, > ~~",
                "autoCommit > WrongShop > autoCommit > audit > with auto-commit, outside of the transaction, > ~~",
                "secondDataSource > WrongShop > secondDataSource > note > through another DataSource, which does not commit with the claim, > ~~"
            })
    void aCommitApartFromTheCallIsReportedWithItsMethod(
            String scenario, String file, String mark, String table, String manner, String opener) {
        assertThat(apart.get(scenario))
                .startsWith(scenario + ": without a fault a row of " + table
                        + " was committed by another transaction than the call's: it is written " + manner
                        + at(file, mark) + "." + (opener.isEmpty() ? "" : " " + opener + " opened that transaction.")
                        + " The row stays if the call fails afterwards.")
                .contains("ignoreColumns = \"" + table + ".*\"");
    }

    @Test
    void whatIsWrittenBeforeOrAfterTheCallIsNotCommittedApart() {
        assertThat(apart).doesNotContainKeys("effectBeforeTheBoundary", "workAfterTheCall", "eventListenerAfterCommit");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '>',
            quoteCharacter = '~',
            value = {
                "auditInRequiresNew > Audit > inNewTransaction > audit was written twice: it is written in a transaction of its own \\(REQUIRES_NEW\\)",
                "messageInRequiresNew > Audit > publish > outbox_event was written twice: it is written in a transaction of its own \\(REQUIRES_NEW\\)",
                "ownCommit > WrongShop > ownCommit > audit was written twice: it is written on a connection of its own, which it commits itself,",
                "eventListenerAfterCommit > Audit > eventListener > audit was not written: it is written after the commit, by a @TransactionalEventListener,",
                "afterCompletion > WrongShop > afterCompletion > audit was (not written|written twice): it is written after the (commit|rollback), in a TransactionSynchronization,",
                "effectBeforeTheBoundary > WrongShop > before > audit was written twice: it is written before the key is claimed, with auto-commit,",
                "secondDataSource > WrongShop > secondDataSource > note was written twice: it is written through another DataSource, which does not commit with the claim,",
                "httpWithoutDownstreamKey > WrongShop > httpWithoutDownstreamKey > 'charge' was seen twice outside of the database: it has no downstream key by which a repeat is recognized",
                "httpWithAndWithoutDownstreamKey > WrongShop > httpWithAndWithoutDownstreamKey > 'charge' was seen twice outside of the database: it has no downstream key by which a repeat is recognized",
                "counterInCache > WrongShop > counterInCache > 'cache' was seen twice outside of the database: it has no downstream key by which a repeat is recognized",
                "fileWritten > WrongShop > fileWritten > 'file' was seen twice outside of the database: it has no downstream key by which a repeat is recognized",
                "asyncWrite > Audit > async > audit was (not written|written twice): it is written on another thread, outside of the transaction,",
                "autoCommit > WrongShop > autoCommit > audit was written twice: it is written with auto-commit, outside of the transaction,",
                "sequenceAsMoney > WrongShop > sequenceAsMoney > points was advanced by 2 and not by 1: a rollback does not take its numbers back, so they must not count anything",
                "triggerThatAddsOutside > WrongShop > trigger > triggered was written twice: it is written by the trigger adds_outside, by way of `insert into triggering`",
                "randomPartStoredElsewhere > WrongShop > randomPart > 'charge' was seen with 2 downstream keys: a repeat must have the same one, see IdempotencyContext.downstreamKey,",
                "exceptionSwallowed > Audit > inNewTransaction > audit was (not written|written twice): it is written in a transaction of its own \\(REQUIRES_NEW\\)(, whose failure was swallowed,)?",
                "exceptionSwallowedOutside > Audit > inner > the caller was answered, but INSERT of a row of note was missing until another call: the failure was swallowed outside of the transaction; it is written",
                "noRollbackFor > Audit > withoutRollback > audit was not written: the transaction of the claim was committed although an exception was thrown in it, which was caught, or which noRollbackFor names; it is written",
                "selfInvocation > WrongShop > note > note was written twice: NO KEY",
                "viewInRequiresNew > Audit > view > audit was written twice: it is written through the view audit_view, in a transaction of its own \\(REQUIRES_NEW\\)",
                "functionInRequiresNew > Audit > function > audit was written twice: it is written by the function add_audit, by way of `select add_audit\\(\\?\\)`, in a transaction of its own \\(REQUIRES_NEW\\)",
                "copyInRequiresNew > Audit > copy > audit was written twice: it is written in a transaction of its own \\(REQUIRES_NEW\\)",
                "auditOfRollbacks > Audit > afterRollback > audit was (written|written 2 times|written twice): it is written after the rollback, by a @TransactionalEventListener,",
                "consequence > Audit > inNewTransaction > audit was written twice: it is written in a transaction of its own \\(REQUIRES_NEW\\)",
                "ticketsLikeIds > WrongShop > tickets > tickets was advanced by 2 and not by 1: a rollback does not take its numbers back, so they must not count anything",
                "workAfterTheCall > Audit > join > audit was written twice: it is written after the call, in another transaction,",
                "failureSwallowedOutside > Audit > inner > the caller was answered, but INSERT of a row of note was missing until another call: the failure was swallowed outside of the transaction; it is written",
                "upsertThatAdds > WrongShop > upsert > counter was changed: NO KEY",
                "readThenWrite > WrongShop > readThenWrite > audit was written 8 times: NO KEY",
                "plainTransactional > WrongShop > plainTransactional > audit was written twice: NO KEY",
                "retryableWithoutKey > WrongShop > retryable > audit was written twice: NO KEY",
                "keyMadeInside > Audit > inner > note was written twice: calls with the same intent claimed different keys (.+ and .+), so the key is made inside; it is written",
                "randomIdInKey > Audit > inner > note was written twice: calls with the same intent claimed different keys (.+ and .+), so the key is made inside; it is written"
            })
    void isReportedWithReasonAndLine(String scenario, String file, String mark, String sentence) {
        assertThat(messages.get(scenario))
                .isNotEmpty()
                .allSatisfy(message -> assertThat(firstLine(message))
                        .matches(scenario + ": (after|before) .+ " + sentence.replace("NO KEY", NO_KEY)
                                + Pattern.quote(at(file, mark))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "auditInRequiresNew: after the library's statement 2 of 2 (`insert into \"idempotency\".idempotency_request`), when the backend was terminated, a row",
                "plainTransactional: after a repeat a row",
                "readThenWrite: after eight calls at once a row"
            })
    void theFaultIsNamed(String beginning) {
        assertThat(messages.get(beginning.substring(0, beginning.indexOf(':'))))
                .anyMatch(message -> message.startsWith(beginning));
    }

    @Test
    void aCallWithoutAnAnswerIsNoMissingRow() {
        assertThat(messages.get("neverAgain"))
                .isNotEmpty()
                .allSatisfy(message -> assertThat(firstLine(message))
                        .contains(" a call got no answer, however often it was repeated: ", "DuplicateKeyException"));
    }

    /** Each fault between the first COMMIT and the second one shows the first. */
    @Test
    void eachCauseIsToldOnceAndHidesNoOther() {
        assertThat(messages.get("twoBugs"))
                .hasSize(2)
                .anyMatch(message -> message.contains(at("Audit", "inNewTransaction")))
                .anyMatch(message -> message.contains(at("Audit", "mail")));
        assertThat(skipped.get("twoBugs"))
                .hasSizeGreaterThan(5)
                .allMatch(message ->
                        message.matches("It fails for the reason that the test '(after|before) .+' has told"));
    }

    @Test
    void theInnermostFrameIsTheLineOfTheApplication() {
        assertThat(frames.get("auditInRequiresNew"))
                .allSatisfy(frame -> assertThat(" at " + frame.getFileName() + ":" + frame.getLineNumber())
                        .isEqualTo(at("Audit", "inNewTransaction")));
        assertThat(frames.get("counterInCache"))
                .allSatisfy(frame -> assertThat(frame.getMethodName()).isEqualTo("counterInCache"));
    }

    @Test
    void failuresThatNobodyRepeatsReachTheApplication() {
        assertThat(wrong.get("failureSwallowedOutside"))
                .anyMatch(test -> test.contains("was canceled (57014)"))
                .anyMatch(test -> test.contains("a lock was not available (55P03)"));
    }

    @Test
    void faultsOfTheSameCauseAreNamedToo() {
        assertThat(wrong.get("auditInRequiresNew"))
                .contains("auditInRequiresNew: after COMMIT 1 of 2: the connection was cut, and its answer was lost");
    }

    @Test
    void thePageShowsTheTimeline() throws IOException {
        assertThat(Path.of("target/idempotency/" + WrongScenarios.class.getName() + ".auditInRequiresNew.html"))
                .content()
                .contains(
                        "in a transaction of its own (REQUIRES_NEW)",
                        "insert into audit",
                        "the backend was terminated",
                        "INSERT<td><code>public.audit")
                .doesNotContain("<script", "http");
    }

    private static TestDescriptor scenario(Event event) {
        return event.getTestDescriptor().getParent().orElseThrow();
    }

    private static String message(Event event) {
        return failure(event).getMessage();
    }

    private static Throwable failure(Event event) {
        return event.getRequiredPayload(TestExecutionResult.class)
                .getThrowable()
                .orElseThrow();
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElseThrow();
    }

    private static String at(String file, String mark) {
        try {
            List<String> lines = Files.readAllLines(SOURCES.resolve(file + ".java"));
            return " at " + file + ".java:"
                    + IntStream.range(0, lines.size())
                            .filter(line -> lines.get(line).endsWith("// " + mark))
                            .mapToObj(line -> line + 1)
                            .findFirst()
                            .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
