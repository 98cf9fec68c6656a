package io.idempotency.sample;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** What the packages of the sample may know of each other. */
class SampleArchitectureTest {

    private static final JavaClasses SAMPLE = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.idempotency.sample");

    @Test
    void packagesHaveNoCycle() {
        slices().matching("io.idempotency.sample.(**)")
                .should()
                .beFreeOfCycles()
                .check(SAMPLE);
    }

    @Test
    void nobodyImportsTheErrorsOfAll() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.idempotency.sample.web")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.idempotency.sample.web")
                .check(SAMPLE);
    }
}
