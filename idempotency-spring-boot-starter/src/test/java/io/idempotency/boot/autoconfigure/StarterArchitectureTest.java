package io.idempotency.boot.autoconfigure;

import java.util.List;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.jspecify.annotations.NullMarked;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyDataSource;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.metrics.IdempotencyMeters;
import io.idempotency.boot.tracing.CallObservationContext;
import io.idempotency.boot.tracing.DeliveryObservationContext;
import io.idempotency.boot.tracing.IdempotencyObservations;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.schema.StorageSchema;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** The rules of the starter's own packages. */
@AnalyzeClasses(packages = "io.idempotency.boot", importOptions = ImportOption.DoNotIncludeTests.class)
class StarterArchitectureTest {

    private static final DescribedPredicate<JavaClass> STORAGE_BUT_ITS_FACTORY = resideInAPackage(
                    "io.idempotency.internal.postgres..")
            .and(DescribedPredicate.not(belongToAnyOf(PostgresStorage.class, StorageSchema.class)));

    private static final List<String> IMPORTED =
            ImportCandidates.load(AutoConfiguration.class, null).getCandidates();

    @ArchTest
    static final ArchRule packagesAreNullMarked = classes().should(new ArchCondition<>("be in a @NullMarked package") {
        @Override
        public void check(JavaClass javaClass, ConditionEvents events) {
            events.add(new SimpleConditionEvent(
                    javaClass, javaClass.getPackage().isAnnotatedWith(NullMarked.class), javaClass.getPackageName()));
        }
    });

    @ArchTest
    static final ArchRule storageIsKnownByItsFactoryOnly =
            noClasses().should().dependOnClassesThat(STORAGE_BUT_ITS_FACTORY);

    @ArchTest
    static final ArchRule whatIsCommonKnowsNoFeature = noClasses()
            .that()
            .resideInAPackage("io.idempotency.boot")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("io.idempotency.boot.*..");

    @ArchTest
    static final ArchRule featuresHaveNoCycles = SlicesRuleDefinition.slices()
            .matching("io.idempotency.boot.(*)..")
            .should()
            .beFreeOfCycles();

    @ArchTest
    static final ArchRule autoConfigurationsAreFinalAndPublic = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .should()
            .haveModifier(JavaModifier.FINAL)
            .andShould()
            .bePublic();

    @ArchTest
    static final ArchRule autoConfigurationsAreListedInTheImportsFile = classes()
            .that()
            .areAnnotatedWith(AutoConfiguration.class)
            .should(new ArchCondition<>("be listed in the imports file") {
                @Override
                public void check(JavaClass javaClass, ConditionEvents events) {
                    events.add(new SimpleConditionEvent(
                            javaClass, IMPORTED.contains(javaClass.getName()), javaClass.getName()));
                }
            });

    @ArchTest
    static final ArchRule beanMethodsAreNoApi =
            methods().that().areAnnotatedWith(Bean.class).should().bePackagePrivate();

    @ArchTest
    static final ArchRule onlyWhatApplicationsTouchIsPublic = classes()
            .that()
            .arePublic()
            .and()
            .areNotAnnotatedWith(AutoConfiguration.class)
            .and()
            .areNotAnnotatedWith(ConfigurationProperties.class)
            .and()
            .areNotAnnotations()
            .and()
            .areNotMemberClasses()
            .should()
            .be(IdempotencyDataSource.class)
            .orShould()
            .be(IdempotencyMeters.class)
            .orShould()
            .be(IdempotencyObservations.class)
            .orShould()
            .be(CallObservationContext.class)
            .orShould()
            .be(DeliveryObservationContext.class);

    @ArchTest
    static final ArchRule propertiesAreRecords = classes()
            .that()
            .areAssignableTo(IdempotencyProperties.class)
            .or()
            .areAnnotatedWith(ConfigurationProperties.class)
            .should()
            .beRecords();
}
