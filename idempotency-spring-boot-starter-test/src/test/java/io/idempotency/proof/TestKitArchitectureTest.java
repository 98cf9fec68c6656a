package io.idempotency.proof;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** Users touch four types; the fifth that is public is found by the driver. */
@AnalyzeClasses(packages = "io.idempotency.proof", importOptions = ImportOption.DoNotIncludeTests.class)
class TestKitArchitectureTest {

    @ArchTest
    static final ArchRule FEW_ARE_PUBLIC = classes()
            .that(not(belongToAnyOf(
                    IdempotencyProof.class,
                    IdempotencyScenario.class,
                    EffectProbe.class,
                    Payload.class,
                    ProofSocketFactory.class)))
            .should()
            .notHaveModifier(JavaModifier.PUBLIC);

    @ArchTest
    static final ArchRule OPTIONAL_LIBRARIES_HAVE_ONE_PLACE = noClasses()
            .that()
            .doNotBelongToAnyOf(EmbeddedServer.class)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.zonky..");

    /** An application may have calls alone. */
    @ArchTest
    static final ArchRule MESSAGES_HAVE_ONE_PLACE = noClasses()
            .that()
            .doNotHaveSimpleName("ObservedDeliveries")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "io.idempotency.inbox..",
                    "io.idempotency.outbox..",
                    "io.idempotency.messaging..",
                    "io.idempotency.boot.messaging..",
                    "io.idempotency.boot.outbox..");

    @ArchTest
    static final ArchRule HTTP_HAS_ONE_PLACE = noClasses()
            .that()
            .doNotBelongToAnyOf(ReplayedHeaders.class)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework.http..");
}
