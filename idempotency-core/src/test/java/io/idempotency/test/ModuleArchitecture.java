package io.idempotency.test;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** What holds for the classes of each module without Spring Boot: which package may import which, row by row. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ModuleArchitecture {

    protected static final String ROOT = "io.idempotency";

    /** Those of this module alone, whose tests run in its folder. */
    protected final JavaClasses module = new ClassFileImporter().importPath(Path.of("target", "classes"));

    private final Map<String, Set<String>> mayImport;

    /**
     * Creates the test.
     *
     * @param table each package of the module with the only packages of the project that it may import; the root is a dot, and a
     *     line that begins with a space goes on with the one before
     */
    protected ModuleArchitecture(String table) {
        this.mayImport = Arrays.stream(table.split("\n(?! )"))
                .map(row -> row.split(":\\s*"))
                .collect(Collectors.toMap(
                        row -> packageOf(row[0]),
                        row -> row.length == 1
                                ? Set.of()
                                : Arrays.stream(row[1].split("\\s+"))
                                        .map(ModuleArchitecture::packageOf)
                                        .collect(Collectors.toSet())));
    }

    private static String packageOf(String name) {
        return name.equals(".") ? "" : name;
    }

    Set<String> packages() {
        return module.stream()
                .map(type -> type.getPackageName().substring(ROOT.length()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void theClassesOfThisModuleAreUnderTest() {
        assertThat(module).hasSizeGreaterThan(60).noneMatch(type -> type.isEquivalentTo(getClass()));
        assertThat(packages()).isEqualTo(new TreeSet<>(mayImport.keySet()));
    }

    @ParameterizedTest(name = "io.idempotency{0}")
    @MethodSource("packages")
    void aPackageImportsOnlyWhatTheTableAllows(String importing) {
        Set<String> allowed = new TreeSet<>(mayImport.get(importing));
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
                .check(module);
    }

    @Test
    void packagesDoNotDependOnEachOtherInACycle() {
        slices().matching("io.(**)").should().beFreeOfCycles().check(module);
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
                .check(module);
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
                .check(module);
    }

    @Test
    void itNeedsNeitherSpringBootNorTheWebNorMetricsNorMigrations() {
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
                .check(module);
    }

    @ParameterizedTest(name = "io.idempotency{0}")
    @MethodSource("packages")
    void aPackageIsNullMarked(String name) {
        JavaPackage checked = module.getPackage(ROOT + name);

        assertThat(checked.isAnnotatedWith(NullMarked.class))
                .as("%s has a package-info.java with @NullMarked", checked.getName())
                .isTrue();
    }
}
