package io.idempotency;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import org.junit.jupiter.api.Test;

import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.LeaseStore;
import io.idempotency.internal.lock.LockStore;
import io.idempotency.internal.ownership.OwnerStore;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.PurgeLease;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.retention.StorageStatistics;
import io.idempotency.test.ModuleArchitecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

/** Where the code of calls lives and what it may import. It knows nothing of messages, which are a module of their own. */
class ArchitectureTest extends ModuleArchitecture {

    ArchitectureTest() {
        super("""
            .:
            .codec: .
            .observation: .
            .lock: .
            .internal.backoff:
            .internal.fingerprint: .
            .internal.response: . .codec .internal.fingerprint
            .internal.claim: . .internal.fingerprint .internal.response
            .internal.operation: . .internal.fingerprint .internal.response
            .internal.transaction: . .internal.backoff
            .internal.ownership: . .internal.transaction
            .internal.tenant: . .internal.transaction
            .internal.call.wait: . .internal.claim .internal.operation
            .internal.call.attempt:
                . .internal.backoff .internal.call.wait .internal.claim .internal.fingerprint .internal.operation .internal.response
                .internal.transaction
            .internal.call:
                . .observation .internal.call.attempt .internal.call.wait .internal.claim .internal.fingerprint .internal.operation
                .internal.ownership .internal.response .internal.transaction
            .internal.lease: . .internal.call .internal.call.attempt .internal.call.wait .internal.tenant .internal.claim .internal.operation .internal.response .internal.transaction
            .internal.write: . .internal.call.attempt .internal.call.wait .internal.claim .internal.response .internal.transaction
            .internal.template: . .internal.call .internal.call.attempt .internal.operation .internal.write
            .internal.lock: . .lock .internal.fingerprint .internal.transaction
            .internal.interceptor: . .internal.call .internal.call.attempt .internal.operation .internal.ownership
            .internal.retention: . .observation
            .internal.postgres:
                . .internal.claim .internal.lock .internal.postgres.administration .internal.postgres.engine
                .internal.ownership .internal.postgres.jdbc .internal.postgres.lock .internal.postgres.maintenance
                .internal.postgres.ownership .internal.postgres.request .internal.postgres.schema .internal.retention
            .internal.postgres.administration: . .internal.postgres.jdbc .internal.postgres.request
            .internal.postgres.engine:
                . .internal.claim .internal.fingerprint .internal.response .internal.lock .internal.postgres.jdbc .internal.postgres.lock
                .internal.postgres.request .internal.postgres.schema
            .internal.postgres.jdbc: . .internal.transaction
            .internal.postgres.lock: .internal.lock .internal.postgres.jdbc
            .internal.postgres.maintenance:
                .internal.claim .internal.postgres.jdbc .internal.postgres.request .internal.postgres.schema .internal.retention
                .internal.transaction
            .internal.postgres.ownership: .internal.ownership .internal.postgres.jdbc
            .internal.postgres.request:
                . .internal.claim .internal.fingerprint .internal.postgres.jdbc .internal.response .internal.transaction
            .internal.postgres.schema: . .observation .internal.postgres.jdbc .internal.transaction
            """);
    }

    /** Nothing else of the project needs to name a table, a statement or a way to the database. */
    @Test
    void postgresHoldsItsFactoryAndNothingElse() {
        classes()
                .that()
                .resideInAPackage(ROOT + ".internal.postgres")
                .and()
                .doNotHaveSimpleName("package-info")
                .should()
                .haveSimpleName("PostgresStorage")
                .check(module);
    }

    @Test
    void storesAreImplementedInPostgres() {
        classes()
                .that()
                .implement(ClaimStore.class)
                .or()
                .implement(LeaseStore.class)
                .or()
                .implement(LockStore.class)
                .or()
                .implement(ExpiringTable.class)
                .or()
                .implement(PurgeStore.class)
                .or()
                .implement(PurgeLease.class)
                .or()
                .implement(StorageStatistics.class)
                .or()
                .implement(OwnerStore.class)
                .should()
                .resideInAPackage(ROOT + ".internal.postgres..")
                .check(module);
    }

    @Test
    void aStartUpRuleIsPackagePrivate() {
        classes()
                .that(DescribedPredicate.describe(
                        "are start-up rules", type -> type.getSimpleName().endsWith("Rule") && !type.isInterface()))
                .should()
                .bePackagePrivate()
                .andShould()
                .resideInAPackage(ROOT + ".internal.operation")
                .check(module);
    }

    /** How Jackson writes and reads may change with each version. Its extension points are extended, and the types that they take. */
    @Test
    void howJacksonWritesAndReadsIsNotExtended() {
        assertThat(module.stream()
                        .flatMap(type -> type.getRawSuperclass().stream())
                        .map(JavaClass::getName)
                        .filter(name -> name.matches("tools\\.jackson\\.databind\\.((de)?ser|.*\\.impl)\\..*"))
                        .distinct())
                .containsExactlyInAnyOrder(
                        "tools.jackson.databind.deser.ValueDeserializerModifier",
                        "tools.jackson.databind.ser.ValueSerializerModifier",
                        "tools.jackson.databind.ser.BeanPropertyWriter",
                        "tools.jackson.databind.ser.SerializationContextExt");
    }
}
