package io.idempotency.boot.security;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;

import io.idempotency.MissingCallerException;
import io.idempotency.boot.JdbcTestApplication;
import io.idempotency.boot.testing.Note;
import io.idempotency.boot.testing.Notebook;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Calls of an application without Spring MVC whose threads have a security context, as those of gRPC, Jersey and listeners
 * do: two users with one key never meet.
 */
@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CallerOfThreadTest {

    private final TestDatabase database;

    @AutoClose
    private final ConfigurableApplicationContext application;

    private final Notebook notebook;

    CallerOfThreadTest(TestDatabase database) {
        this.database = database;
        this.application = start();
        this.notebook = application.getBean(Notebook.class);
    }

    private ConfigurableApplicationContext start(String... properties) {
        return JdbcTestApplication.start(database, new Class<?>[] {Notebook.class}, properties);
    }

    @BeforeAll
    void createTable() {
        Notebook.createTable(database.jdbc());
    }

    @AfterEach
    void clear() {
        SecurityContextHolder.clearContext();
        database.jdbc().execute("truncate note, idempotency.idempotency_request");
    }

    @Test
    void twoUsersWithOneKeyNeverMeet() {
        Note ofAlice = as(user("alice"), notebook);
        Note ofBob = as(user("bob"), notebook);

        assertThat(ofBob).isNotEqualTo(ofAlice);
        assertThat(as(user("alice"), notebook)).isEqualTo(ofAlice);
        assertThat(as(user("bob"), notebook)).isEqualTo(ofBob);
        assertThat(Notebook.count(database.jdbc())).isEqualTo(2);
        assertThat(callers()).containsExactly("alice", "bob");
    }

    @Test
    void nobodyIsWhoeverIsAnonymousOrNotAuthenticatedOrHasNoContext() {
        Authentication anonymous = new AnonymousAuthenticationToken(
                "key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));
        TestingAuthenticationToken refused = user("mallory");
        refused.setAuthenticated(false);

        Note note = as(anonymous, notebook);

        assertThat(as(refused, notebook)).isEqualTo(note);
        assertThat(as(null, notebook)).isEqualTo(note);
        assertThat(callers()).containsExactly("");
    }

    @Test
    void aScopeThatIsCalledWithAndWithoutACallerIsWarnedOfOnce(CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext ofItsOwn = start()) {
            Notebook used = ofItsOwn.getBean(Notebook.class);
            as(user("alice"), used);
            as(user("bob"), used);
            assertThat(output).doesNotContain("have a caller");

            for (int i = 0; i < 2; i++) {
                Thread other = new Thread(() -> used.write("other", "text"), "without-context");
                other.start();
                other.join();
                as(user("alice"), used);
            }
        }

        assertThat(output)
                .containsOnlyOnce("Calls in scope 'notes' have a caller on the thread '"
                        + Thread.currentThread().getName()
                        + "' and none on the thread 'without-context', so that all users share the keys of the latter");
    }

    @Test
    void nobodyIsRefusedWhereCallersAreRequired() {
        try (ConfigurableApplicationContext requiring = start("idempotency.http.require-caller=true")) {
            Notebook strict = requiring.getBean(Notebook.class);

            assertThatExceptionOfType(MissingCallerException.class)
                    .isThrownBy(() -> as(null, strict))
                    .withMessageContaining("Nobody is authenticated on this thread");

            assertThat(callers()).isEmpty();
            as(user("alice"), strict);
            assertThat(callers()).containsExactly("alice");
        }
    }

    /** Generated ones often include members that Hibernate has not loaded, or reads then. */
    @Test
    void theHashCodeOfAUserIsNotAskedFor() {
        User entity = new User("alice", "password", List.of()) {
            @Override
            public int hashCode() {
                throw new IllegalStateException("no session");
            }
        };

        as(of(entity), notebook);

        assertThat(callers()).containsExactly("alice");
    }

    static Stream<Named<Supplier<Authentication>>> principalsWithoutName() {
        return Stream.of(
                Named.of("an object without toString", () -> of(new Object())),
                Named.of("no principal", () -> of(null)),
                Named.of(
                        "a token without subject",
                        () -> new TestingAuthenticationToken("token", "password", "ROLE_USER") {
                            @Override
                            public String getName() {
                                return null;
                            }
                        }));
    }

    private static Authentication of(Object principal) {
        return UsernamePasswordAuthenticationToken.authenticated(principal, "password", List.of());
    }

    /** They would share their keys with each other, or be somebody else in each request. */
    @ParameterizedTest
    @MethodSource("principalsWithoutName")
    void principalsWithoutANameAreRefused(Supplier<Authentication> principal) {
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> as(principal.get(), notebook))
                .withMessageContainingAll("The authenticated principal has no name", "Define a CallerResolver");

        assertThat(Notebook.count(database.jdbc())).isZero();
    }

    @Test
    void allShareTheirKeysWhereTheApplicationSaysSo() {
        try (ConfigurableApplicationContext sharing = start("idempotency.http.caller=none")) {
            Notebook shared = sharing.getBean(Notebook.class);

            assertThat(as(user("bob"), shared)).isEqualTo(as(user("alice"), shared));
            assertThat(callers()).containsExactly("");
        }
    }

    private static TestingAuthenticationToken user(String name) {
        return new TestingAuthenticationToken(name, "password", "ROLE_USER");
    }

    private static Note as(Authentication user, Notebook notebook) {
        SecurityContextHolder.getContext().setAuthentication(user);
        return notebook.write("key", "text");
    }

    private List<String> callers() {
        return database.jdbc()
                .queryForList(
                        "select distinct caller from idempotency.idempotency_request order by caller", String.class);
    }
}
