package io.idempotency;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.inbox.InboxStore;
import io.idempotency.internal.lock.LockStore;
import io.idempotency.internal.outbox.OutboxStore;
import io.idempotency.internal.retention.ExpiringTable;
import io.idempotency.internal.retention.PurgeLease;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.retention.StorageStatistics;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** Where code lives and what it may import: the package table of the design, row by row. */
class ArchitectureTest {

    private static final String ROOT = "io.idempotency";

    /** Each package of this module with the only packages of the project that it may import. The root is a dot. */
    private static final Map<String, Set<String>> MAY_IMPORT = read("""
            .:
            .codec: .
            .observation: .
            .inbox: . .outbox
            .lock: .
            .messaging: . .observation
            .outbox: .
            .internal.backoff:
            .internal.fingerprint: .
            .internal.response: . .codec .internal.fingerprint
            .internal.claim: . .internal.fingerprint .internal.response
            .internal.operation: . .internal.fingerprint .internal.response
            .internal.transaction: .
            .internal.call:
                . .observation .internal.backoff .internal.claim .internal.fingerprint .internal.operation
                .internal.response .internal.transaction
            .internal.lease: . .internal.call .internal.claim .internal.operation .internal.response .internal.transaction
            .internal.write: . .internal.call .internal.claim .internal.response .internal.transaction
            .internal.template: . .internal.call .internal.operation .internal.write
            .internal.inbox:
                . .inbox .messaging .observation .internal.call .internal.claim .internal.fingerprint .internal.operation
                .internal.response .internal.transaction
            .internal.lock: . .lock .internal.fingerprint .internal.transaction
            .internal.interceptor: . .internal.call .internal.operation
            .internal.outbox:
                . .codec .inbox .messaging .outbox .internal.backoff .internal.fingerprint .internal.inbox
                .internal.response
            .internal.retention: . .observation
            .internal.resume:
                . .messaging .internal.backoff .internal.claim .internal.fingerprint .internal.response .internal.call
                .internal.operation .internal.transaction
            .internal.postgres:
                . .internal.claim .internal.lock .internal.postgres.administration .internal.postgres.engine
                .internal.postgres.jdbc .internal.postgres.lock .internal.postgres.maintenance
                .internal.postgres.request .internal.postgres.schema .internal.retention
            .internal.postgres.administration: . .internal.postgres.jdbc .internal.postgres.request
            .internal.postgres.engine:
                . .internal.claim .internal.fingerprint .internal.response .internal.lock .internal.postgres.jdbc .internal.postgres.lock
                .internal.postgres.request .internal.postgres.schema
            .internal.postgres.inbox:
                . .inbox .messaging .internal.claim .internal.fingerprint .internal.response .internal.inbox
                .internal.postgres.jdbc
            .internal.postgres.jdbc: . .internal.transaction
            .internal.postgres.lock: .internal.lock .internal.postgres.jdbc
            .internal.postgres.maintenance:
                .internal.postgres.jdbc .internal.postgres.request .internal.postgres.schema .internal.retention
                .internal.transaction
            .internal.postgres.messaging:
                . .messaging .internal.inbox .internal.outbox .internal.postgres.administration .internal.postgres.inbox
                .internal.postgres.jdbc .internal.postgres.outbox .internal.postgres.partition .internal.postgres.schema
                .internal.retention
            .internal.postgres.outbox:
                . .messaging .outbox .internal.claim .internal.outbox .internal.postgres.jdbc .internal.postgres.request
                .internal.resume .internal.transaction
            .internal.postgres.partition:
                .messaging .internal.postgres.jdbc .internal.postgres.schema .internal.transaction
            .internal.postgres.request:
                . .internal.claim .internal.fingerprint .internal.postgres.jdbc .internal.response .internal.transaction
            .internal.postgres.schema: . .observation .internal.postgres.jdbc .internal.transaction
            """);

    /** What an application with calls alone does not have. */
    private static final String[] OF_MESSAGES = {
        ROOT + ".inbox..",
        ROOT + ".messaging..",
        ROOT + ".outbox..",
        ROOT + ".internal.inbox..",
        ROOT + ".internal.outbox..",
        ROOT + ".internal.resume..",
        ROOT + ".internal.postgres.inbox..",
        ROOT + ".internal.postgres.messaging..",
        ROOT + ".internal.postgres.outbox..",
        ROOT + ".internal.postgres.partition.."
    };

    private static final JavaClasses CORE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    /** A line that begins with a space goes on with the one before. */
    private static Map<String, Set<String>> read(String table) {
        return Arrays.stream(table.split("\n(?! )"))
                .map(row -> row.split(":\\s*"))
                .collect(Collectors.toMap(
                        row -> packageOf(row[0]),
                        row -> row.length == 1
                                ? Set.of()
                                : Arrays.stream(row[1].split("\\s+"))
                                        .map(ArchitectureTest::packageOf)
                                        .collect(Collectors.toSet())));
    }

    private static String packageOf(String name) {
        return name.equals(".") ? "" : name;
    }

    static Set<String> packages() {
        return CORE.stream()
                .map(type -> type.getPackageName().substring(ROOT.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theClassesOfThisModuleAreUnderTest() {
        assertThat(CORE)
                .hasSizeGreaterThan(80)
                .anyMatch(type -> type.isEquivalentTo(Idempotent.class))
                .noneMatch(type -> type.isEquivalentTo(ArchitectureTest.class));
        assertThat(packages()).isEqualTo(new TreeSet<>(MAY_IMPORT.keySet()));
    }

    @ParameterizedTest(name = "io.idempotency{0}")
    @MethodSource("packages")
    void aPackageImportsOnlyWhatTheTableAllows(String importing) {
        Set<String> allowed = new TreeSet<>(MAY_IMPORT.get(importing));
        allowed.add(importing);

        noClasses()
                .that()
                .resideInAPackage(ROOT + importing)
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are of this project, but not in one of " + allowed, type -> {
                            String name = type.getBaseComponentType().getPackageName();
                            return (name.equals(ROOT) || name.startsWith(ROOT + '.'))
                                    && !allowed.contains(name.substring(ROOT.length()));
                        }))
                .check(CORE);
    }

    /** So that core can be shipped without messages. */
    @Test
    void callsKnowNothingOfMessages() {
        noClasses()
                .that()
                .resideOutsideOfPackages(OF_MESSAGES)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(OF_MESSAGES)
                .check(CORE);
    }

    @Test
    void packagesDoNotDependOnEachOtherInACycle() {
        slices().matching("io.(**)").should().beFreeOfCycles().check(CORE);
    }

    @Test
    void onlyPostgresExecutesSql() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".internal.postgres..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework.jdbc.core..", "org.springframework.jdbc.object..")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(java.sql.Statement.class)
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(java.sql.ResultSet.class)
                .check(CORE);
    }

    /** The state of the driver's transactions, and the severity of the server's errors, decide what a COMMIT has done. */
    @Test
    void onlyPostgresAndTransactionsKnowTheDriver() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".internal.postgres..", ROOT + ".internal.transaction")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.postgresql..")
                .check(CORE);
    }

    @Test
    void theCoreNeedsNeitherSpringBootNorTheWebNorMetricsNorMigrations() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "org.springframework.boot..",
                        "org.springframework.web..",
                        "org.springframework.orm..",
                        "jakarta..",
                        "javax.servlet..",
                        "io.micrometer..",
                        "org.flywaydb..",
                        "com.fasterxml.jackson.databind..")
                .check(CORE);
    }

    @ParameterizedTest(name = "io.idempotency{0}")
    @MethodSource("packages")
    void aPackageIsNullMarked(String name) {
        JavaPackage checked = CORE.getPackage(ROOT + name);

        assertThat(checked.isAnnotatedWith(NullMarked.class))
                .as("%s has a package-info.java with @NullMarked", checked.getName())
                .isTrue();
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
                .check(CORE);
    }

    @Test
    void storesAreImplementedInPostgres() {
        classes()
                .that()
                .implement(ClaimStore.class)
                .or()
                .implement(InboxStore.class)
                .or()
                .implement(OutboxStore.class)
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
                .should()
                .resideInAPackage(ROOT + ".internal.postgres..")
                .check(CORE);
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
                .check(CORE);
    }
}
