package io.idempotency.boot.chain;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneId;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonValue;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.core.io.Resource;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.PageImpl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.SessionAttribute;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.HttpServerErrorException;
import org.springframework.web.client.ResourceAccessException;
import org.springframework.web.client.RestClientException;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.servlet.ModelAndView;

import io.idempotency.IdempotencyMode;
import io.idempotency.Idempotent;
import io.idempotency.InvalidIdempotentMethodException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.inbox.IdempotentReceiver;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A method that cannot be idempotent as it stands is reported at start-up: which one, why, and what to change. */
@PostgresTest
class MethodRulesReportTest {

    private static final String DECLARE = "Declare the type of the response";

    private static final String RESULT = "Return the result itself";

    private static final String DATA = "or a ResponseEntity of it";

    private static final String ABSTRACT = "say with @JsonTypeInfo";

    private static final String RECORD = "Make it a record";

    private final TestDatabase database;

    MethodRulesReportTest(TestDatabase database) {
        this.database = database;
    }

    static Stream<Arguments> rules() {
        return Stream.of(
                arguments("finalMethod", "a final method, which no proxy can intercept", "neither final nor static"),
                arguments("privateMethod", "a private method, which no proxy can intercept", "Make the method public"),
                arguments("staticMethod", "a static method, which no proxy can intercept", "neither final nor static"),
                arguments("returnsObject", "returns java.lang.Object", DECLARE),
                arguments("returnsVariable", "returns R", DECLARE),
                arguments("returnsBoundedVariable", "returns", DECLARE),
                arguments("returnsUntypedAnswer", "returns org.springframework.http.ResponseEntity<?>", DECLARE),
                arguments("returnsRawAnswer", "returns org.springframework.http.ResponseEntity,", DECLARE),
                arguments(
                        "returnsStreamedAnswer",
                        "ResponseEntity<org.springframework.core.io.Resource>, which is not complete",
                        "Return the result itself, such as a List, a String or a byte[]; or an id"),
                arguments(
                        "returnsAbstractMember",
                        "returns " + Drawing.class.getTypeName() + ", whose $.shapes[*] is " + Shape.class.getTypeName()
                                + ", which is abstract",
                        ABSTRACT),
                arguments(
                        "returnsSealedInterface",
                        "returns java.util.List, whose $[*] is " + Sealed.class.getTypeName() + ", which is abstract",
                        ABSTRACT),
                arguments(
                        "returnsWhatNobodyCanMake",
                        "returns " + WithoutConstructor.class.getTypeName() + ", for which Jackson has no way",
                        RECORD),
                arguments("returnsPage", "Page, which is abstract", "If the class is not yours"),
                arguments("returnsPageOfItsClass", "PageImpl, for which Jackson has no way", "return a record of what"),
                arguments(
                        "returnsMapOfObjects",
                        "returns java.util.Map, which Jackson cannot read",
                        "as the keys of the map"),
                arguments(
                        "returnsWhatShowsNothing",
                        "returns " + Hidden.class.getTypeName()
                                + ", which has no JSON properties, so that it is stored as {}",
                        RECORD),
                arguments(
                        "returnsEntity",
                        "returns " + Author.class.getTypeName() + ", which is a JPA entity",
                        "Return a record of what the caller needs"),
                arguments("returnsHeaders", "more than the data that can be stored", DATA),
                arguments("returnsView", "more than the data that can be stored", DATA),
                arguments("returnsAnswerOfItsOwn", "Envelope, which is more than the data", DATA),
                arguments("returnsFuture", "returns java.util.concurrent.Future", RESULT),
                arguments("returnsCompletable", "CompletableFuture<java.lang.String>, which is not complete", RESULT),
                arguments("returnsPublisher", "Flow$Publisher<java.lang.String>, which is not complete", RESULT),
                arguments("returnsStream", "java.util.stream.Stream<java.lang.String>, which is not complete", RESULT),
                arguments("leaseWithoutMode", "lease '5m'", "Add mode = LEASED, or remove lease"),
                arguments("repeatedWithoutMode", "retryLeased 'true'", "Add mode = LEASED, or remove retryLeased"),
                arguments("resumedWithoutMode", "resume 'true'", "Add mode = LEASED, or remove resume"),
                arguments(
                        "resumedWithWhatIsNotRead",
                        "takes as parameter 'hidden' " + Hidden.class.getTypeName() + ", which has no JSON properties",
                        "Or remove resume = true"),
                arguments("keyIsMissing", "The key '' of @Idempotent", "Add key = \"...\" to @Idempotent"),
                arguments("fingerprintIsNotSpel", "The fingerprint of @Idempotent", "Correct the expression"),
                arguments("fingerprintOfUnknown", "there is no #amount", "Use the names of the parameters"),
                arguments(
                        "keyOfUnknownComponent",
                        "is '#command.idd', but the record " + Command.class.getName() + " has no 'idd'",
                        "Use one of its components: id, total"),
                arguments(
                        "fingerprintOfUnknownComponentWithin",
                        "but the record " + Total.class.getName() + " has no 'sent'",
                        "Use one of its components: cents"),
                arguments("finalTimeout", "finalFailures 'ResourceAccessException'", "Name exceptions of your own"),
                arguments("finalParent", "'RestClientException' of", "Name exceptions of your own"),
                arguments("finalAnswer5xx", "'HttpServerErrorException' of", "Name exceptions of your own"),
                arguments("finalAnswer4xx", "includes org.springframework.web.client.HttpClientErrorException$", "own"),
                arguments("keyOfOptional", "gives a java.util.Optional, but it must give", "as in #id.orElse(null)"),
                arguments("keyOfMoment", "gives a java.time.Instant, but", "Use the id of what happens then"),
                arguments("keyOfDate", "gives a java.util.Date, but", "Use the id of what happens then"),
                arguments("keyOfFraction", "gives a double, but", "1.0 and 1.00 are one number"),
                arguments("keyOfTruth", "gives a boolean, but", "Use the value in it"),
                arguments("keyOfList", "gives a java.util.List, but", "Use the value in it"),
                arguments("keyOfArray", "gives a byte[], but", "Use the value in it"),
                arguments("keyOfRecord", "gives a " + Command.class.getName(), "one intent from another: id, total"),
                arguments("keyOfComponent", "gives a " + Total.class.getName(), "one intent from another: cents"),
                arguments("keyOfGetter", "gives a java.util.List, but", "Use the value in it"),
                arguments("keyOfPart", "has the part #command.total, a " + Total.class.getName(), ": cents"),
                arguments("keyWithoutHash", "reads 'key' of the bean, but", "Did you mean #key?"),
                arguments("keyWithoutQuotes", "reads 'daily' of the bean, but", "a text has quotes inside the quotes"),
                arguments("keyOfNoArgument", "gives the same value for all calls", "Name an argument"),
                arguments("keyOfBeanAlone", "gives the same value for all calls", "Name an argument"),
                arguments(
                        "keyAtRandom",
                        "calls randomUUID(), which gives another value",
                        "Let the caller choose the key"),
                arguments("keyOfClock", "calls now(), which gives another value", "pass it as an argument"),
                arguments("keyOfMillis", "calls currentTimeMillis(), which", "Let the caller choose the key"),
                arguments("keyOfNewDate", "calls new java.util.Date(), which", "Let the caller choose the key"),
                arguments(
                        "keyOfAddress",
                        "toString() of " + Hidden.class.getName() + ", which has none",
                        "such as its id"),
                arguments("keyOfArrayText", "toString() of [B, which has none", "such as its id"),
                arguments(
                        "fingerprintOfKey",
                        "compares nothing but the key, although long cents is data",
                        "say so with fingerprint = \"''\""),
                arguments("fingerprintOfPartOfKey", "compares nothing but the key, although", "Remove fingerprint"),
                arguments("fingerprintWithinKey", "compares nothing but the key, although", "Remove fingerprint"),
                arguments("resultIdIsNotSpel", "The resultId of @Idempotent", "Correct the expression"),
                arguments("takesServletRequest", "jakarta.servlet.http.HttpServletRequest", "fingerprint ="),
                arguments("takesHeaders", "org.springframework.http.HttpHeaders, which is not data", "fingerprint ="),
                arguments("takesUser", "UserDetails, which is not data", "fingerprint ="),
                arguments("takesStream", "java.io.InputStream, which is not data", "fingerprint ="),
                arguments("takesUploads", "MultipartFile>, which is not data", "fingerprint ="),
                arguments("takesArrayOfUploads", "MultipartFile[], which is not data", "fingerprint ="),
                arguments("takesUploadInForm", Form.class.getName() + ".file, which is not data", "fingerprint ="),
                arguments(
                        "takesUploadInFingerprint", Form.class.getName() + ".file, which is not data", "fingerprint ="),
                arguments(
                        "takesUploadsOfForms",
                        LargeForm.class.getName() + ".parts, which is not data",
                        "fingerprint ="),
                arguments(
                        "takesUploadOfSuperclass",
                        Upload.class.getName() + ".body, which is not data",
                        "fingerprint ="),
                arguments("cacheableMethod", "is @Cacheable too", "Remove @Cacheable"),
                arguments("readOnly", "has a read-only transaction", "Remove readOnly = true"),
                arguments("notSupported", "runs outside of transactions", "REQUIRED or REQUIRES_NEW, or the mode"),
                arguments("never", "runs outside of transactions", "REQUIRED or REQUIRES_NEW"),
                arguments("leasedInMandatory", "needs an open transaction", "Use the propagation REQUIRED"),
                arguments("noRollbackFor", "a rule not to roll back", "Remove noRollbackFor"),
                arguments("dontRollbackOn", "a rule not to roll back", "dontRollbackOn"),
                arguments("afterCommit", "for the phase AFTER_COMMIT, in which", "Propagation.REQUIRES_NEW), @Async"),
                arguments("afterRollback", "for the phase AFTER_ROLLBACK, in which", "Propagation.REQUIRES_NEW)"),
                arguments("afterCompletionJoined", "for the phase AFTER_COMPLETION", "or the phase BEFORE_COMMIT"),
                arguments("receivesAfterCommit", "for the phase AFTER_COMMIT", "or the phase BEFORE_COMMIT"),
                arguments("leasedAfterCommit", "a lease has to be committed before", "Add @Async (and @EnableAsync)"),
                arguments("leasedInNew", "a lease has to be committed before", "Add @Async (and @EnableAsync)"),
                arguments("leasedBeforeCommit", "each event would be lost", "use the mode TRANSACTIONAL"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void theMethodIsRefusedAndToldWhatToChange(String method, String problem, String action) {
        MethodRules.assertRefused(Refused.class, method, problem, action);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "keyOfDay",
                "keyOfMonth",
                "keyOfObject",
                "keyOfVariable",
                "keyOfParts",
                "keyOfInterface",
                "keyOfHash",
                "keyOfContext",
                "keyOfNothingToName",
                "keyOfMapByName",
                "keyOfOptionalOrNull",
                "keyOfPropertyOfBean",
                "fingerprintOfRestOfKey",
                "fingerprintBesideAttempt",
                "uploadWithItsOwnJson",
                "uploadThatIsIgnored",
                "fingerprintOfNothing",
                "fingerprintBesideNoData",
                "finalAnswers"
            })
    void aMethodThatMayBeRightIsAllowed(String method) {
        assertThatCode(() -> new MethodRules().check(Allowed.class, method)).doesNotThrowAnyException();
    }

    @SuppressWarnings("unused")
    abstract static class Allowed<I> {

        @Idempotent(scope = "s", key = "#day")
        abstract String keyOfDay(LocalDate day);

        @Idempotent(scope = "s", key = "#month")
        abstract String keyOfMonth(YearMonth month);

        @Idempotent(scope = "s", key = "#key")
        abstract String keyOfObject(Object key);

        @Idempotent(scope = "s", key = "#key")
        abstract String keyOfVariable(I key);

        @Idempotent(scope = "s", key = "#command.id + '-' + #day + '-' + #isLast")
        abstract String keyOfParts(Command command, LocalDate day, boolean isLast);

        @Idempotent(scope = "s", key = "#code")
        abstract String keyOfInterface(Code code);

        @Idempotent(scope = "s", key = "T(Integer).toHexString(#order.hashCode())")
        abstract String keyOfHash(Command order);

        @Idempotent(scope = "s", key = "T(org.slf4j.MDC).get('request')")
        abstract String keyOfContext(String order);

        @Idempotent(scope = "s", key = "'the only one'")
        abstract String keyOfNothingToName();

        @Idempotent(scope = "s", key = "#headers[order]")
        abstract String keyOfMapByName(Map<String, String> headers);

        @Idempotent(scope = "s", key = "#id.orElse(null)")
        abstract String keyOfOptionalOrNull(Optional<String> id);

        @Idempotent(scope = "s", key = "keyOfThread", fingerprint = "#order")
        abstract String keyOfPropertyOfBean(String order);

        public String getKeyOfThread() {
            return "key";
        }

        @Idempotent(scope = "s", key = "#id + ':' + #cents", fingerprint = "#cents")
        abstract String fingerprintOfRestOfKey(String id, long cents);

        @PostMapping
        @Idempotent(scope = "s", key = "#key", fingerprint = "#key")
        abstract String fingerprintBesideAttempt(String key, Locale locale, @CookieValue String session);

        @Idempotent(scope = "s", key = "#key")
        abstract String uploadWithItsOwnJson(String key, HashedUpload upload);

        @Idempotent(scope = "s", key = "#key")
        abstract String uploadThatIsIgnored(String key, IgnoredUpload upload);

        @Idempotent(scope = "s", key = "#key", fingerprint = "''")
        abstract String fingerprintOfNothing(String key, long cents);

        @Idempotent(scope = "s", key = "#key", fingerprint = "#key")
        abstract String fingerprintBesideNoData(String key, HttpServletRequest request);

        @Idempotent(
                scope = "s",
                key = "#key",
                finalFailures = {HttpClientErrorException.UnprocessableContent.class, IllegalArgumentException.class})
        abstract String finalAnswers(String key);
    }

    interface Code {}

    @Test
    void whatBelongsToOneAttemptOfTheClientIsNoPayload() {
        for (Method handler : OfTheAttempt.class.getDeclaredMethods()) {
            MethodRules.assertRefused(
                    OfTheAttempt.class, handler.getName(), "belongs to one attempt of the client", "fingerprint =");
        }
        for (Method handler : OfTheIntent.class.getDeclaredMethods()) {
            assertThatCode(() -> new MethodRules().check(OfTheIntent.class, handler.getName()))
                    .as(handler.getName())
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void whatACodecOfTheApplicationClaimsIsItsBusiness() {
        assertThatCode(() -> new MethodRules(new ShapeCodec()).check(ReturnsAbstractClass.class, "pay"))
                .doesNotThrowAnyException();
    }

    /** One of each kind of rule. */
    static Stream<Arguments> beans() {
        return Stream.of(
                arguments(FinalClass.class, "in a final class without interfaces", "Remove final from the class"),
                arguments(
                        ReturnsAbstractClass.class,
                        "returns " + Shape.class.getTypeName() + ", which is abstract, and nothing tells Jackson",
                        ABSTRACT),
                arguments(ScopeOfUnknownPlaceholder.class, "'payments-${no.such.property}'", "Define the property"),
                arguments(CacheableClass.class, "is @Cacheable too", "Remove @Cacheable"),
                arguments(ReadOnlyClass.class, "has a read-only transaction", "declare @Transactional on the method"));
    }

    @ParameterizedTest
    @MethodSource("beans")
    void anApplicationWithSuchABeanDoesNotStart(Class<?> bean, String problem, String action) {
        StartupFailure.of(database, new Class<?>[] {bean})
                .says(problem, bean.getName() + ".pay(")
                .advises(action);
    }

    @Test
    void namesBothMethodsThatUseOneScope() {
        StartupFailure.of(database, new Class<?>[] {OneMethod.class, OtherMethod.class})
                .says(
                        "The scope 'shared' is used by two methods",
                        OneMethod.class.getName() + ".pay(String)",
                        OtherMethod.class.getName() + ".pay(String)")
                .advises("Give each method a scope of its own");
    }

    @Test
    void advisesToCompileWithParameterNames(@TempDir Path directory) throws IOException, ClassNotFoundException {
        Path source = Files.writeString(directory.resolve("NamelessPayments.java"), """
                public class NamelessPayments {
                    @io.idempotency.Idempotent(scope = "nameless", key = "#key")
                    public String pay(String key) {
                        return key;
                    }

                    @io.idempotency.Idempotent(
                            scope = "s", key = "#p0", mode = io.idempotency.IdempotencyMode.LEASED, resume = true)
                    public String resumed(String key) {
                        return key;
                    }
                }""");
        String[] options = {
            "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", directory.toString(), source.toString()
        };
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, options))
                .isZero();

        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            Class<?> bean = loader.loadClass("NamelessPayments");

            MethodRules.assertRefused(bean, "pay", "is '#key', but there is no #key", "Compile with -parameters");
            MethodRules.assertRefused(
                    bean,
                    "resumed",
                    "has resume = true, but its parameters have no names at run time",
                    "Compile with -parameters, or remove resume = true");
        }
    }

    @Test
    void refusesToResumeWithoutAnOutbox() {
        assertThatThrownBy(() -> JdbcTestApplication.start(
                        database, new Class<?>[] {Refunds.class}, "idempotency.outbox.enabled=false"))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContainingAll(
                        Refunds.class.getName() + ".pay(String) has resume = true, but there is no outbox",
                        "Add the dependency io.idempotency:idempotency-messaging-spring-boot-starter",
                        "idempotency.outbox.enabled=false");
    }

    static class Refunds {

        @Idempotent(scope = "refunds", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        public String pay(String key) {
            return key;
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void showsTheReportOnTheConsoleInsteadOfAStackTrace(CapturedOutput console) {
        assertThatThrownBy(() -> JdbcTestApplication.start(database, new Class<?>[] {FinalClass.class}))
                .isInstanceOf(RuntimeException.class);

        assertThat(console.getAll().lines().map(String::strip).filter(line -> !line.isEmpty()))
                .containsSubsequence("APPLICATION FAILED TO START", "Description:", "Action:");
        assertThat(console)
                .contains("in a final class without interfaces", "Remove final from the class")
                .doesNotContain("\tat io.idempotency");
    }

    @SuppressWarnings({"unused", "rawtypes"})
    abstract static class Refused<R> {

        @Idempotent(scope = "s", key = "#key")
        final String finalMethod(String key) {
            return key;
        }

        @Idempotent(scope = "s", key = "#key")
        private String privateMethod(String key) {
            return key;
        }

        @Idempotent(scope = "s", key = "#key")
        static String staticMethod(String key) {
            return key;
        }

        @Idempotent(scope = "s", key = "#key")
        abstract Object returnsObject(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract R returnsVariable(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract <T extends Comparable<T>> T returnsBoundedVariable(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract ResponseEntity<?> returnsUntypedAnswer(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract ResponseEntity returnsRawAnswer(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract ResponseEntity<Resource> returnsStreamedAnswer(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract Drawing returnsAbstractMember(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract List<Sealed> returnsSealedInterface(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract WithoutConstructor returnsWhatNobodyCanMake(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract Page<String> returnsPage(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract PageImpl<String> returnsPageOfItsClass(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract Map<WithoutConstructor, String> returnsMapOfObjects(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract Hidden returnsWhatShowsNothing(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract Author returnsEntity(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract HttpHeaders returnsHeaders(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract ModelAndView returnsView(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract Envelope<String> returnsAnswerOfItsOwn(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract Future<String> returnsFuture(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract CompletableFuture<String> returnsCompletable(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract Flow.Publisher<String> returnsPublisher(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract Stream<String> returnsStream(String key);

        @Idempotent(scope = "s", key = "#key", lease = "5m")
        abstract String leaseWithoutMode(String key);

        @Idempotent(scope = "s", key = "#key", retryLeased = true)
        abstract String repeatedWithoutMode(String key);

        @Idempotent(scope = "s", key = "#key", resume = true)
        abstract String resumedWithoutMode(String key);

        @Idempotent(scope = "s", key = "#key", mode = IdempotencyMode.LEASED, resume = true)
        abstract String resumedWithWhatIsNotRead(String key, Hidden hidden);

        @Idempotent(scope = "s", key = "")
        abstract String keyIsMissing(String key);

        @Idempotent(scope = "s", key = "#key", fingerprint = "{#key")
        abstract String fingerprintIsNotSpel(String key);

        @Idempotent(scope = "s", key = "#command.idd")
        abstract String keyOfUnknownComponent(Command command);

        @Idempotent(scope = "s", key = "#key", fingerprint = "{#command.total.cents, #command?.total.sent}")
        abstract String fingerprintOfUnknownComponentWithin(String key, Command command);

        @Idempotent(scope = "s", key = "#key", fingerprint = "{#key, #amount}")
        abstract String fingerprintOfUnknown(String key);

        @Idempotent(scope = "s", key = "#key", finalFailures = ResourceAccessException.class)
        abstract String finalTimeout(String key);

        @Idempotent(scope = "s", key = "#key", finalFailures = RestClientException.class)
        abstract String finalParent(String key);

        @Idempotent(scope = "s", key = "#key", finalFailures = HttpServerErrorException.class)
        abstract String finalAnswer5xx(String key);

        @Idempotent(scope = "s", key = "#key", finalFailures = HttpClientErrorException.class)
        abstract String finalAnswer4xx(String key);

        @Idempotent(scope = "s", key = "#id")
        abstract String keyOfOptional(Optional<String> id);

        @Idempotent(scope = "s", key = "#at")
        abstract String keyOfMoment(Instant at);

        @Idempotent(scope = "s", key = "#at")
        abstract String keyOfDate(Date at);

        @Idempotent(scope = "s", key = "#amount")
        abstract String keyOfFraction(double amount);

        @Idempotent(scope = "s", key = "#isLast")
        abstract String keyOfTruth(boolean isLast);

        @Idempotent(scope = "s", key = "#ids")
        abstract String keyOfList(List<String> ids);

        @Idempotent(scope = "s", key = "#hash")
        abstract String keyOfArray(byte[] hash);

        @Idempotent(scope = "s", key = "#command")
        abstract String keyOfRecord(Command command);

        @Idempotent(scope = "s", key = "#command?.total")
        abstract String keyOfComponent(Command command);

        @Idempotent(scope = "s", key = "#drawing.shapes")
        abstract String keyOfGetter(Drawing drawing);

        @Idempotent(scope = "s", key = "'a-' + #command.total")
        abstract String keyOfPart(Command command);

        @Idempotent(scope = "s", key = "key")
        abstract String keyWithoutHash(String key);

        @Idempotent(scope = "s", key = "daily + #key")
        abstract String keyWithoutQuotes(String key);

        @Idempotent(scope = "s", key = "'daily'")
        abstract String keyOfNoArgument(String key);

        @Idempotent(scope = "s", key = "#root")
        abstract String keyOfBeanAlone(String key);

        @Idempotent(scope = "s", key = "#key + T(java.util.UUID).randomUUID()")
        abstract String keyAtRandom(String key);

        @Idempotent(scope = "s", key = "T(java.time.LocalDate).now()")
        abstract String keyOfClock(String key);

        @Idempotent(scope = "s", key = "T(System).currentTimeMillis() + ':' + #key")
        abstract String keyOfMillis(String key);

        @Idempotent(scope = "s", key = "#key + new java.util.Date().time")
        abstract String keyOfNewDate(String key);

        @Idempotent(scope = "s", key = "#hidden.toString()")
        abstract String keyOfAddress(Hidden hidden);

        @Idempotent(scope = "s", key = "#hash.toString()")
        abstract String keyOfArrayText(byte[] hash);

        @Idempotent(scope = "s", key = "#key", fingerprint = "#key")
        abstract String fingerprintOfKey(String key, long cents);

        @Idempotent(scope = "s", key = "#command.id", fingerprint = "#command?.id")
        abstract String fingerprintOfPartOfKey(Command command);

        @Idempotent(scope = "s", key = "#tenant + ':' + #key", fingerprint = "{#key}")
        abstract String fingerprintWithinKey(String tenant, String key, long cents);

        @Idempotent(scope = "s", key = "#key", resultId = "#result.")
        abstract String resultIdIsNotSpel(String key);

        @Idempotent(scope = "s", key = "#key")
        abstract String takesServletRequest(String key, HttpServletRequest request);

        @Idempotent(scope = "s", key = "#key")
        abstract String takesHeaders(String key, HttpHeaders headers);

        @Idempotent(scope = "s", key = "#key")
        abstract String takesUser(String key, UserDetails user);

        @Idempotent(scope = "s", key = "#key")
        abstract String takesStream(String key, InputStream body);

        @Idempotent(scope = "s", key = "#key")
        abstract String takesUploads(String key, List<MultipartFile> files);

        @Idempotent(scope = "s", key = "#key")
        abstract String takesArrayOfUploads(String key, MultipartFile[] files);

        @Idempotent(scope = "s", key = "#key")
        abstract String takesUploadInForm(String key, Form form);

        @Idempotent(scope = "s", key = "#key", fingerprint = "#form")
        abstract String takesUploadInFingerprint(String key, Form form);

        @Idempotent(scope = "s", key = "#key")
        abstract String takesUploadsOfForms(String key, Map<String, List<LargeForm>> forms);

        @Idempotent(scope = "s", key = "#key")
        abstract String takesUploadOfSuperclass(String key, NamedUpload[] uploads);

        @Cacheable("receipts")
        @Idempotent(scope = "s", key = "#key")
        abstract String cacheableMethod(String key);

        @Transactional(readOnly = true)
        @Idempotent(scope = "s", key = "#key")
        abstract String readOnly(String key);

        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        @Idempotent(scope = "s", key = "#key")
        abstract String notSupported(String key);

        @Transactional(propagation = Propagation.NEVER)
        @Idempotent(scope = "s", key = "#key")
        abstract String never(String key);

        @Transactional(propagation = Propagation.MANDATORY)
        @Idempotent(scope = "s", key = "#key", mode = IdempotencyMode.LEASED)
        abstract String leasedInMandatory(String key);

        @Transactional(noRollbackFor = IllegalStateException.class)
        @Idempotent(scope = "s", key = "#key")
        abstract String noRollbackFor(String key);

        @jakarta.transaction.Transactional(dontRollbackOn = IllegalStateException.class)
        @Idempotent(scope = "s", key = "#key")
        abstract String dontRollbackOn(String key);

        @TransactionalEventListener
        @Idempotent(scope = "s", key = "#key")
        abstract void afterCommit(String key);

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        @Idempotent(scope = "s", key = "#key", mode = IdempotencyMode.OPTIMISTIC)
        abstract void afterRollback(String key);

        @Transactional
        @TransactionalEventListener(phase = TransactionPhase.AFTER_COMPLETION, fallbackExecution = true)
        @Idempotent(scope = "s", key = "#key")
        abstract void afterCompletionJoined(String key);

        @TransactionalEventListener
        @IdempotentReceiver(consumer = "c", messageId = "#id")
        abstract void receivesAfterCommit(String id);

        @TransactionalEventListener
        @Idempotent(scope = "s", key = "#key", mode = IdempotencyMode.LEASED)
        abstract void leasedAfterCommit(String key);

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        @TransactionalEventListener
        @Idempotent(scope = "s", key = "#key", mode = IdempotencyMode.LEASED)
        abstract void leasedInNew(String key);

        @TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
        @Idempotent(scope = "s", key = "#key", mode = IdempotencyMode.LEASED)
        abstract void leasedBeforeCommit(String key);
    }

    @SuppressWarnings("unused")
    abstract static class OfTheAttempt implements Annotated {

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String allHeaders(String key, @RequestHeader Map<String, String> headers);

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String traceparent(String key, @RequestHeader String traceparent);

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String requestId(String key, @RequestHeader("X-Request-ID") String id);

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String signature(String key, @RequestHeader(name = "Stripe-Signature") String signature);

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String cookie(String key, @CookieValue String session);

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String requestAttribute(String key, @RequestAttribute String startedAt);

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String sessionAttribute(String key, @SessionAttribute String cart);

        @RequestMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String locale(String key, Locale locale);

        @PutMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String zone(String key, @Nullable ZoneId zone);

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String model(String key, Map<String, Object> model);

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String value(String key, @Value("${node}") String node);

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        abstract String user(String key, @AuthenticationPrincipal Command user);

        @Override
        @Idempotent(scope = "s", key = "#key")
        public abstract String ofInterface(String key, Locale locale);
    }

    interface Annotated {

        @PostMapping
        String ofInterface(String key, Locale locale);
    }

    @SuppressWarnings("unused")
    static class OfTheIntent {

        @Idempotent(scope = "s", key = "#key")
        public String noHandler(String key, Locale locale, ZoneId zone, Map<String, String> translations) {
            return key;
        }

        @PostMapping
        @Idempotent(scope = "s", key = "#key")
        public String ofRequest(
                String key,
                @RequestParam Locale locale,
                @RequestParam Map<String, String> fields,
                @RequestHeader String currency,
                @RequestHeader("If-Match") String version,
                @RequestBody Map<String, String> order,
                @AuthenticationPrincipal String user) {
            return key;
        }

        @PostMapping
        @Idempotent(scope = "s", key = "#id")
        public String key(@RequestHeader("X-Request-Id") String id) {
            return id;
        }

        @PostMapping
        @Idempotent(scope = "s", key = "#key", fingerprint = "#order")
        public String named(String key, Locale locale, @CookieValue String session, @RequestBody Command order) {
            return key;
        }
    }

    static final class FinalClass {

        @Idempotent(scope = "final-class", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class ReturnsAbstractClass {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public Shape pay(String key) {
            return new Circle(3);
        }
    }

    static class ScopeOfUnknownPlaceholder {

        @Idempotent(scope = "payments-${no.such.property}", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    @Cacheable("receipts")
    static class CacheableClass {

        @Idempotent(scope = "cacheable-class", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    @Transactional(readOnly = true)
    static class ReadOnlyClass {

        @Idempotent(scope = "read-only-class", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class OneMethod {

        @Idempotent(scope = "shared", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class OtherMethod {

        @Idempotent(scope = "shared", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    interface Shape {}

    record Circle(int radius) implements Shape {}

    record Drawing(List<Shape> shapes) {}

    sealed interface Sealed permits Only {}

    record Only(int value) implements Sealed {}

    static final class WithoutConstructor {

        public final int value;

        WithoutConstructor(int value, Object unrelated) {
            this.value = value;
        }
    }

    static final class Hidden {

        private long cents = 42;

        long cents() {
            return cents;
        }
    }

    @Entity
    static class Author {

        @Id
        public String name = "Lem";

        @OneToMany
        public List<Book> books = List.of();
    }

    @Entity
    static class Book {

        @Id
        public String title;

        @ManyToOne
        public Author author;
    }

    static class ShapeCodec implements ResponseCodec {

        @Override
        public boolean supports(Type type) {
            return type == Shape.class;
        }

        @Override
        public String encode(Object response, Type type) {
            return String.valueOf(((Circle) response).radius());
        }

        @Override
        public Object decode(String body, Type type) {
            return new Circle(Integer.parseInt(body));
        }
    }

    static class Envelope<T> extends ResponseEntity<T> {

        Envelope(T body) {
            super(body, HttpStatus.CREATED);
        }
    }

    record Command(String id, Total total) {}

    record Form(String orderId, MultipartFile file) {}

    record LargeForm(String orderId, Optional<Part[]> parts) {}

    record HashedUpload(MultipartFile file) {

        @JsonValue
        public String hash() {
            return "hash";
        }
    }

    @JsonIgnoreProperties("file")
    record IgnoredUpload(String orderId, MultipartFile file) {}

    static class Upload {
        InputStream body;
    }

    static class NamedUpload extends Upload {
        String name;
    }

    record Total(long cents) {}
}
