package io.idempotency.boot.chain;

import java.io.InputStream;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.servlet.http.HttpServletRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.servlet.ModelAndView;

import io.idempotency.Idempotent;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** A method that cannot be idempotent as it stands is reported at start-up: which one, why, and what to change. */
@PostgresTest
class MethodRulesReportTest {

    private final TestDatabase database;

    MethodRulesReportTest(TestDatabase database) {
        this.database = database;
    }

    static Stream<Arguments> rules() {
        return Stream.of(
                arguments(
                        FinalMethod.class, "a final method, which no proxy can intercept", "neither final nor static"),
                arguments(
                        PrivateMethod.class,
                        "a private method, which no proxy can intercept",
                        "Make the method public"),
                arguments(
                        StaticMethod.class,
                        "a static method, which no proxy can intercept",
                        "neither final nor static"),
                arguments(FinalClass.class, "in a final class without interfaces", "Remove final from the class"),
                arguments(ReturnsObject.class, "returns java.lang.Object", "Declare the type of the response"),
                arguments(ReturnsVariable.class, "returns R", "Declare the type of the response"),
                arguments(LeaseWithoutMode.class, "lease '5m'", "Correct the annotation"),
                arguments(RepeatedWithoutMode.class, "retryLeased 'true'", "Correct the annotation"),
                arguments(
                        ReturnsUntypedAnswer.class,
                        "returns org.springframework.http.ResponseEntity<?>",
                        "Declare the type of the response"),
                arguments(
                        ReturnsRawAnswer.class,
                        "returns org.springframework.http.ResponseEntity,",
                        "Declare the type of the response"),
                arguments(
                        ReturnsStreamedAnswer.class,
                        "ResponseEntity<org.springframework.core.io.Resource>, which is not complete",
                        "Return the result itself, such as a List, a String or a byte[]; or an id"),
                arguments(
                        ReturnsAbstractClass.class,
                        "returns " + Shape.class.getTypeName() + ", which is abstract, and nothing tells Jackson",
                        "say with @JsonTypeInfo"),
                arguments(
                        ReturnsAbstractMember.class,
                        "returns " + Drawing.class.getTypeName() + ", whose $.shapes[*] is " + Shape.class.getTypeName()
                                + ", which is abstract",
                        "say with @JsonTypeInfo"),
                arguments(
                        ReturnsSealedInterface.class,
                        "returns java.util.List, whose $[*] is " + Sealed.class.getTypeName() + ", which is abstract",
                        "say with @JsonTypeInfo"),
                arguments(
                        ReturnsWhatNobodyCanMake.class,
                        "returns " + WithoutConstructor.class.getTypeName() + ", for which Jackson has no way",
                        "Make it a record"),
                arguments(
                        ReturnsWhatShowsNothing.class,
                        "returns " + Hidden.class.getTypeName()
                                + ", which has no JSON properties, so that it is stored as {}",
                        "Make it a record"),
                arguments(
                        ReturnsEntity.class,
                        "returns " + Author.class.getTypeName() + ", which is a JPA entity",
                        "Return a record of what the caller needs"),
                arguments(ReturnsBoundedVariable.class, "returns", "Declare the type of the response"),
                arguments(ReturnsHeaders.class, "more than the data that can be stored", "or a ResponseEntity of it"),
                arguments(ReturnsView.class, "more than the data that can be stored", "or a ResponseEntity of it"),
                arguments(
                        ReturnsAnswerOfItsOwn.class,
                        "Envelope, which is more than the data",
                        "or a ResponseEntity of it"),
                arguments(ReturnsFuture.class, "returns java.util.concurrent.Future", "Return the result itself"),
                arguments(
                        ReturnsCompletable.class,
                        "CompletableFuture<java.lang.String>, which is not complete",
                        "Return the result itself"),
                arguments(
                        ReturnsPublisher.class,
                        "Flow$Publisher<java.lang.String>, which is not complete",
                        "Return the result itself"),
                arguments(
                        ReturnsStream.class,
                        "java.util.stream.Stream<java.lang.String>, which is not complete",
                        "Return the result itself"),
                arguments(KeyIsMissing.class, "The key '' of @Idempotent", "Correct the annotation"),
                arguments(KeyIsNotSpel.class, "The key of @Idempotent", "Correct the expression"),
                arguments(KeyOfUnknownParameter.class, "but there is no #kee", "Use the names of the parameters"),
                arguments(FingerprintIsNotSpel.class, "The fingerprint of @Idempotent", "Correct the expression"),
                arguments(
                        FingerprintOfUnknownParameter.class, "there is no #amount", "Use the names of the parameters"),
                arguments(ResultIdIsNotSpel.class, "The resultId of @Idempotent", "Correct the expression"),
                arguments(ScopeIsBlank.class, "The scope ' ' of @Idempotent", "Correct the annotation"),
                arguments(ScopeIsNotPrintable.class, "is not valid", "Correct the annotation"),
                arguments(ScopeOfUnknownPlaceholder.class, "'payments-${no.such.property}'", "Correct the annotation"),
                arguments(RetentionIsNoDuration.class, "retention '7 days'", "Correct the annotation"),
                arguments(RetentionIsZero.class, "retention '0s'", "Correct the annotation"),
                arguments(WaitTimeoutIsNoDuration.class, "waitTimeout 'soon'", "Correct the annotation"),
                arguments(TakesServletRequest.class, "jakarta.servlet.http.HttpServletRequest", "fingerprint ="),
                arguments(TakesStream.class, "java.io.InputStream, which is not data", "fingerprint ="),
                arguments(CacheableMethod.class, "is @Cacheable too", "Remove @Cacheable"),
                arguments(CacheableClass.class, "is @Cacheable too", "Remove @Cacheable"),
                arguments(ReadOnlyMethod.class, "has a read-only transaction", "Remove readOnly = true"),
                arguments(ReadOnlyClass.class, "has a read-only transaction", "declare @Transactional on the method"),
                arguments(NotSupported.class, "runs outside of transactions", "REQUIRED or REQUIRES_NEW"),
                arguments(Never.class, "runs outside of transactions", "REQUIRED or REQUIRES_NEW"),
                arguments(NoRollbackFor.class, "a rule not to roll back", "Remove noRollbackFor"),
                arguments(DontRollbackOn.class, "a rule not to roll back", "dontRollbackOn"));
    }

    @ParameterizedTest
    @MethodSource("rules")
    void reportsTheMethodAndWhatToChange(Class<?> bean, String problem, String action) {
        StartupFailure.of(database, new Class<?>[] {bean})
                .says(problem, bean.getName() + ".pay(")
                .advises(action);
    }

    @Test
    void whatACodecOfTheApplicationClaimsIsItsBusiness() {
        try (ConfigurableApplicationContext started =
                JdbcTestApplication.start(database, new Class<?>[] {ReturnsAbstractClass.class, ShapeCodec.class})) {
            assertThat(started.getBean(ReturnsAbstractClass.class).pay("key")).isEqualTo(new Circle(3));
            assertThat(started.getBean(ReturnsAbstractClass.class).pay("key")).isEqualTo(new Circle(3));
        }
    }

    @Test
    void whatIsMeantToLoseSomethingStarts() {
        try (ConfigurableApplicationContext started =
                JdbcTestApplication.start(database, new Class<?>[] {ReturnsLossyEntity.class})) {
            assertThat(started.getBean(ReturnsLossyEntity.class).pay("other key").name)
                    .isEqualTo("Lem");
        }
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
    void reportsAPlaceholderThatAStrictResolverRefuses() {
        StartupFailure.of(
                        database,
                        new Class<?>[] {PropertyPlaceholderAutoConfiguration.class, ScopeOfUnknownPlaceholder.class})
                .says("'payments-${no.such.property}' of @Idempotent on " + ScopeOfUnknownPlaceholder.class.getName())
                .advises("Correct the annotation");
    }

    @Test
    void advisesToCompileWithParameterNames(@TempDir Path directory) {
        Class<?> bean = CompiledWithoutParameterNames.compile(directory, "NamelessPayments", """
                public class NamelessPayments {
                    @io.idempotency.Idempotent(scope = "nameless", key = "#key")
                    public String pay(String key) {
                        return key;
                    }
                }""");

        StartupFailure.of(database, new Class<?>[] {bean})
                .says("NamelessPayments.pay(String) is '#key', but there is no #key")
                .advises("Compile with -parameters", "#p0");
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void showsTheReportOnTheConsoleInsteadOfAStackTrace(CapturedOutput console) {
        assertThatThrownBy(() -> JdbcTestApplication.start(database, new Class<?>[] {FinalMethod.class}))
                .isInstanceOf(RuntimeException.class);

        assertThat(console.getAll().lines().map(String::strip).filter(line -> !line.isEmpty()))
                .containsSubsequence(
                        "APPLICATION FAILED TO START",
                        "Description:",
                        "@Idempotent stands on a final method, which no proxy can intercept: "
                                + FinalMethod.class.getName() + ".pay(String).",
                        "Action:",
                        "Make the method public, and neither final nor static.");
        assertThat(console).doesNotContain("\tat io.idempotency");
    }

    static class FinalMethod {

        @Idempotent(scope = "final", key = "#key")
        public final String pay(String key) {
            return key;
        }
    }

    static class PrivateMethod {

        @Idempotent(scope = "private", key = "#key")
        private String pay(String key) {
            return key;
        }

        String payInside(String key) {
            return pay(key);
        }
    }

    static class StaticMethod {

        @Idempotent(scope = "static", key = "#key")
        public static String pay(String key) {
            return key;
        }
    }

    static final class FinalClass {

        @Idempotent(scope = "final-class", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class ReturnsObject {

        @Idempotent(scope = "object", key = "#key")
        public Object pay(String key) {
            return key;
        }
    }

    static class ReturnsVariable<R> {

        @Idempotent(scope = "variable", key = "#key")
        public R pay(String key) {
            throw new UnsupportedOperationException(key);
        }
    }

    static class LeaseWithoutMode {

        @Transactional
        @Idempotent(scope = "s", key = "#key", lease = "5m")
        public String pay(String key) {
            return key;
        }
    }

    static class RepeatedWithoutMode {

        @Transactional
        @Idempotent(scope = "s", key = "#key", retryLeased = true)
        public String pay(String key) {
            return key;
        }
    }

    static class ReturnsUntypedAnswer {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public ResponseEntity<?> pay(String key) {
            return ResponseEntity.ok(key);
        }
    }

    static class ReturnsRawAnswer {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        @SuppressWarnings("rawtypes")
        public ResponseEntity pay(String key) {
            return ResponseEntity.ok(key);
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

    static class ReturnsAbstractClass {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public Shape pay(String key) {
            return new Circle(3);
        }
    }

    static class ReturnsAbstractMember {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public Drawing pay(String key) {
            return new Drawing(List.of());
        }
    }

    static class ReturnsSealedInterface {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public List<Sealed> pay(String key) {
            return List.of();
        }
    }

    static class ReturnsWhatNobodyCanMake {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public WithoutConstructor pay(String key) {
            return new WithoutConstructor(1, "");
        }
    }

    static class ReturnsWhatShowsNothing {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public Hidden pay(String key) {
            return new Hidden();
        }
    }

    static class ReturnsEntity {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public Author pay(String key) {
            return new Author();
        }
    }

    static class ReturnsLossyEntity {

        @Transactional
        @Idempotent(scope = "s", key = "#key", lossyResponse = true)
        public Author pay(String key) {
            return new Author();
        }
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

    static class ReturnsStreamedAnswer {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public ResponseEntity<Resource> pay(String key) {
            return ResponseEntity.ok().build();
        }
    }

    static class ReturnsBoundedVariable {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public <T extends Comparable<T>> T pay(String key) {
            throw new IllegalStateException(key);
        }
    }

    static class ReturnsHeaders {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public HttpHeaders pay(String key) {
            return new HttpHeaders();
        }
    }

    static class ReturnsView {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public ModelAndView pay(String key) {
            return new ModelAndView(key);
        }
    }

    static class ReturnsAnswerOfItsOwn {

        @Transactional
        @Idempotent(scope = "s", key = "#key")
        public Envelope<String> pay(String key) {
            return new Envelope<>(key);
        }

        static class Envelope<T> extends ResponseEntity<T> {

            Envelope(T body) {
                super(body, HttpStatus.CREATED);
            }
        }
    }

    static class ReturnsFuture {

        @Idempotent(scope = "future", key = "#key")
        public Future<String> pay(String key) {
            return CompletableFuture.completedFuture(key);
        }
    }

    static class ReturnsCompletable {

        @Idempotent(scope = "completable", key = "#key")
        public CompletableFuture<String> pay(String key) {
            return CompletableFuture.completedFuture(key);
        }
    }

    static class ReturnsPublisher {

        @Idempotent(scope = "publisher", key = "#key")
        public Flow.Publisher<String> pay(String key) {
            throw new UnsupportedOperationException(key);
        }
    }

    static class ReturnsStream {

        @Idempotent(scope = "stream", key = "#key")
        public Stream<String> pay(String key) {
            return Stream.of(key);
        }
    }

    static class KeyIsMissing {

        @Idempotent(scope = "no-key", key = "")
        public String pay(String key) {
            return key;
        }
    }

    static class KeyIsNotSpel {

        @Idempotent(scope = "bad-key", key = "#key.(")
        public String pay(String key) {
            return key;
        }
    }

    static class KeyOfUnknownParameter {

        @Idempotent(scope = "unknown-key", key = "#kee")
        public String pay(String key) {
            return key;
        }
    }

    static class FingerprintIsNotSpel {

        @Idempotent(scope = "bad-fingerprint", key = "#key", fingerprint = "{#key")
        public String pay(String key) {
            return key;
        }
    }

    static class FingerprintOfUnknownParameter {

        @Idempotent(scope = "unknown-fingerprint", key = "#key", fingerprint = "{#key, #amount}")
        public String pay(String key) {
            return key;
        }
    }

    static class ResultIdIsNotSpel {

        @Idempotent(scope = "bad-result", key = "#key", resultId = "#result.")
        public String pay(String key) {
            return key;
        }
    }

    static class ScopeIsBlank {

        @Idempotent(scope = " ", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class ScopeIsNotPrintable {

        @Idempotent(scope = "two\nlines", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class ScopeOfUnknownPlaceholder {

        @Idempotent(scope = "payments-${no.such.property}", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class RetentionIsNoDuration {

        @Idempotent(scope = "bad-retention", key = "#key", retention = "7 days")
        public String pay(String key) {
            return key;
        }
    }

    static class RetentionIsZero {

        @Idempotent(scope = "no-retention", key = "#key", retention = "0s")
        public String pay(String key) {
            return key;
        }
    }

    static class WaitTimeoutIsNoDuration {

        @Idempotent(scope = "bad-wait", key = "#key", waitTimeout = "soon")
        public String pay(String key) {
            return key;
        }
    }

    static class TakesServletRequest {

        @Idempotent(scope = "servlet", key = "#key")
        public String pay(String key, HttpServletRequest request) {
            return key + request;
        }
    }

    static class TakesStream {

        @Idempotent(scope = "input", key = "#key")
        public String pay(String key, InputStream body) {
            return key + body;
        }
    }

    static class CacheableMethod {

        @Cacheable("receipts")
        @Idempotent(scope = "cacheable", key = "#key")
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

    static class ReadOnlyMethod {

        @Transactional(readOnly = true)
        @Idempotent(scope = "read-only", key = "#key")
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

    static class NotSupported {

        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        @Idempotent(scope = "not-supported", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class Never {

        @Transactional(propagation = Propagation.NEVER)
        @Idempotent(scope = "never", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class NoRollbackFor {

        @Transactional(noRollbackFor = IllegalStateException.class)
        @Idempotent(scope = "no-rollback-for", key = "#key")
        public String pay(String key) {
            return key;
        }
    }

    static class DontRollbackOn {

        @jakarta.transaction.Transactional(dontRollbackOn = IllegalStateException.class)
        @Idempotent(scope = "dont-rollback-on", key = "#key")
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
}
