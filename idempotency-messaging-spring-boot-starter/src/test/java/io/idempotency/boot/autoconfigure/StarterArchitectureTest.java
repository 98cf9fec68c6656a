package io.idempotency.boot.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.conditions.ArchConditions;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.jspecify.annotations.NullMarked;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyDataSource;
import io.idempotency.boot.IdempotencyJsonMapper;
import io.idempotency.boot.KeyDisplay;
import io.idempotency.boot.ProcessName;
import io.idempotency.boot.PropertyChecks;
import io.idempotency.boot.StorageFeatures;
import io.idempotency.boot.actuate.EndpointPart;
import io.idempotency.boot.actuate.RefusedRequestException;
import io.idempotency.boot.actuate.RequestParameters;
import io.idempotency.boot.actuate.Row;
import io.idempotency.boot.aot.AnnotatedMethodAotProcessor;
import io.idempotency.boot.background.BackgroundLoop;
import io.idempotency.boot.background.WakeSignal;
import io.idempotency.boot.client.IdempotencyKeyInterceptor;
import io.idempotency.boot.flyway.SchemaCallback;
import io.idempotency.boot.logging.LogLine;
import io.idempotency.boot.logging.LoggedKeys;
import io.idempotency.boot.logging.SummaryPart;
import io.idempotency.boot.messaging.metrics.MessagingMeters;
import io.idempotency.boot.messaging.tracing.DeliveryObservationContext;
import io.idempotency.boot.messaging.tracing.MessagingObservations;
import io.idempotency.boot.metrics.BoundedTag;
import io.idempotency.boot.metrics.ExecutionMeters;
import io.idempotency.boot.metrics.IdempotencyMeters;
import io.idempotency.boot.outbox.PublishedHeaders;
import io.idempotency.boot.retention.Triggers;
import io.idempotency.boot.sample.HealthDetail;
import io.idempotency.boot.sample.SampledPart;
import io.idempotency.boot.tracing.CallObservationContext;
import io.idempotency.boot.tracing.IdempotencyObservations;
import io.idempotency.boot.tracing.ObservedFailure;
import io.idempotency.boot.tracing.OpenObservations;
import io.idempotency.boot.web.Problem;
import io.idempotency.boot.web.UsedKeys;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.engine.EngineVerifier;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.messaging.MessagingFeatures;
import io.idempotency.internal.postgres.messaging.PostgresMessageStorage;
import io.idempotency.internal.postgres.outbox.PostgresResumptions;
import io.idempotency.internal.postgres.partition.PartitionMaintenance;
import io.idempotency.internal.postgres.partition.PartitionPeriod;
import io.idempotency.internal.postgres.request.ResumptionScheduler;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageSchema;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** The rules of the packages of both starters. */
@AnalyzeClasses(
        packages = "io.idempotency.boot",
        importOptions = {ImportOption.DoNotIncludeTests.class, StarterArchitectureTest.NoJarOfTests.class})
class StarterArchitectureTest {

    private static final String ROOT = "io.idempotency.boot";

    static final class NoJarOfTests implements ImportOption {

        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    private static final Pattern FOREIGN_WORDS =
            Pattern.compile("kafka|rabbit|amqp|actuat|micrometer", Pattern.CASE_INSENSITIVE);

    /** All but the factories, what they take and give, and the wording of a failure. */
    private static final DescribedPredicate<JavaClass> INSIDE_OF_STORAGE = resideInAPackage(
                    "io.idempotency.internal.postgres..")
            .and(DescribedPredicate.not(belongToAnyOf(
                    CoreFeatures.class,
                    EngineVerifier.class,
                    MessagingFeatures.class,
                    PartitionMaintenance.class,
                    PartitionPeriod.class,
                    PostgresMessageStorage.class,
                    PostgresResumptions.class,
                    PostgresStorage.class,
                    ResumptionScheduler.class,
                    SqlFailures.class,
                    StorageFeature.class,
                    StorageSchema.class)));

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
    static final ArchRule storageIsKnownByItsFactoriesOnly =
            noClasses().should().dependOnClassesThat(INSIDE_OF_STORAGE);

    private static final String[] OF_MESSAGES = {
        "io.idempotency.inbox..",
        "io.idempotency.outbox..",
        "io.idempotency.messaging..",
        "io.idempotency.internal.inbox..",
        "io.idempotency.internal.outbox..",
        "io.idempotency.internal.resume..",
        "io.idempotency.internal.postgres.inbox..",
        "io.idempotency.internal.postgres.messaging..",
        "io.idempotency.internal.postgres.outbox..",
        "io.idempotency.internal.postgres.partition..",
        "io.idempotency.boot.kafka..",
        "io.idempotency.boot.messaging..",
        "io.idempotency.boot.outbox..",
        "io.idempotency.boot.rabbit..",
        "io.idempotency.boot.resume.."
    };

    /** So that the starter can be shipped without messages. */
    @ArchTest
    static final ArchRule callsKnowNothingOfMessages = noClasses()
            .that()
            .resideOutsideOfPackages(OF_MESSAGES)
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(OF_MESSAGES);

    @ArchTest
    static final ArchRule whatIsCommonKnowsNoFeature = noClasses()
            .that()
            .resideInAPackage(ROOT)
            .should()
            .dependOnClassesThat()
            .resideInAPackage(ROOT + ".*..");

    /**
     * Optional libraries, each with the only packages that may know it. Two nested classes are exempt: they are loaded only
     * where their library is on the class path.
     */
    @ArchTest
    static void optionalLibrariesAreKnownByTheirFeatureOnly(JavaClasses starter) {
        Map.ofEntries(
                        Map.entry(
                                "io.micrometer..",
                                List.of("metrics", "tracing", "messaging.metrics", "messaging.tracing")),
                        Map.entry("io.swagger..", List.of("openapi")),
                        Map.entry("jakarta.servlet..", List.of("web")),
                        Map.entry("org.apache.kafka..", List.of("kafka")),
                        Map.entry("org.mockito..", List.<String>of()),
                        Map.entry("org.springdoc..", List.of("openapi")),
                        Map.entry("org.springframework.boot.actuate..", List.of("actuate")),
                        Map.entry("org.springframework.boot.health..", List.of("actuate")),
                        Map.entry("org.springframework.http..", List.of("client", "messaging.web", "web")),
                        Map.entry("org.springframework.kafka..", List.of("kafka")),
                        Map.entry("org.springframework.orm..", List.of("jpa")),
                        Map.entry("org.springframework.security..", List.of("security")),
                        Map.entry("org.springframework.web..", List.of("messaging.web", "openapi", "web")))
                .forEach((library, features) -> noClasses()
                        .that()
                        .resideOutsideOfPackages(features.stream()
                                .map(feature -> ROOT + '.' + feature)
                                .toArray(String[]::new))
                        .and()
                        .doNotHaveFullyQualifiedName(ROOT + ".IdempotencyTransactionManager$Jpa")
                        .and()
                        .doNotHaveFullyQualifiedName(ROOT + ".TestDoubles$Mocks")
                        .should()
                        .dependOnClassesThat()
                        .resideInAPackage(library)
                        .check(starter));
    }

    /** An application that leaves its migrations to others may exclude Flyway. */
    @ArchTest
    static final ArchRule flywayIsKnownByTheMigrationsOnly = noClasses()
            .that()
            .haveNameNotMatching("io\\.idempotency\\.boot\\.flyway\\.(Flyway|Listed)Migrations(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.flywaydb..");

    /** Not even as text, such as the name of a class or a constant of an enum. */
    @ArchTest
    static final ArchRule theRootNamesNoBrokerAndNoActuator = classes()
            .that()
            .resideInAPackage(ROOT)
            .should(new ArchCondition<>("not contain " + FOREIGN_WORDS) {
                @Override
                public void check(JavaClass javaClass, ConditionEvents events) {
                    Matcher word = FOREIGN_WORDS.matcher(textOf(javaClass));
                    boolean found = word.find();
                    events.add(new SimpleConditionEvent(
                            javaClass,
                            !found,
                            javaClass.getName() + (found ? " contains '" + word.group() + "'" : " contains none")));
                }
            });

    private static String textOf(JavaClass javaClass) {
        try (InputStream file =
                javaClass.getSource().orElseThrow().getUri().toURL().openStream()) {
            return new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

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

    /** So that no bean of an application replaces one by accident; only the transaction manager takes Spring Boot's name. */
    @ArchTest
    static final ArchRule beansHaveNamesThatSayWhoseTheyAre = methods()
            .that()
            .areAnnotatedWith(Bean.class)
            .and()
            .doNotHaveName("transactionManager")
            .should()
            .haveNameContaining("dempoten");

    /** What applications touch, and what features take from each other. */
    @ArchTest
    static final ArchRule nothingElseIsPublic = classes()
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
            .should(ArchConditions.be(belongToAnyOf(
                    AnnotatedMethodAotProcessor.class,
                    BackgroundLoop.class,
                    BoundedTag.class,
                    EndpointPart.class,
                    ExecutionMeters.class,
                    HealthDetail.class,
                    IdempotencyDataSource.class,
                    IdempotencyJsonMapper.class,
                    IdempotencyKeyInterceptor.class,
                    KeyDisplay.class,
                    Problem.class,
                    LogLine.class,
                    LoggedKeys.class,
                    MessagingMeters.class,
                    MessagingObservations.class,
                    ObservedFailure.class,
                    OpenObservations.class,
                    ProcessName.class,
                    PropertyChecks.class,
                    PublishedHeaders.class,
                    RefusedRequestException.class,
                    RequestParameters.class,
                    Row.class,
                    SampledPart.class,
                    SchemaCallback.class,
                    StorageFeatures.class,
                    SummaryPart.class,
                    Triggers.class,
                    UsedKeys.class,
                    IdempotencyMeters.class,
                    IdempotencyObservations.class,
                    CallObservationContext.class,
                    DeliveryObservationContext.class,
                    WakeSignal.class)));

    @ArchTest
    static final ArchRule propertiesAreRecords = classes()
            .that()
            .areAnnotatedWith(ConfigurationProperties.class)
            .should()
            .beRecords();
}
