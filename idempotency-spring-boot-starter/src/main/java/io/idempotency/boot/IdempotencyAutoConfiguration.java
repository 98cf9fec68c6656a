package io.idempotency.boot;

import java.util.ArrayList;
import java.util.List;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.StringUtils;
import org.springframework.util.function.SingletonSupplier;
import tools.jackson.databind.json.JsonMapper;

import io.idempotency.CallerResolver;
import io.idempotency.DatabaseResolver;
import io.idempotency.DuplicatePolicy;
import io.idempotency.FailureTranslator;
import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyOperations;
import io.idempotency.IdempotencyStartupException;
import io.idempotency.codec.ResponseCodec;
import io.idempotency.internal.backoff.Backoff;
import io.idempotency.internal.call.CallBinder;
import io.idempotency.internal.call.CallBinding;
import io.idempotency.internal.call.FingerprintContributor;
import io.idempotency.internal.call.IdempotentCallExecutor;
import io.idempotency.internal.call.attempt.CallParts;
import io.idempotency.internal.call.attempt.CallSettings;
import io.idempotency.internal.call.attempt.RetrySettings;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.interceptor.ContextHierarchyVerifier;
import io.idempotency.internal.interceptor.DeclaredTransactions;
import io.idempotency.internal.interceptor.IdempotentAdvisor;
import io.idempotency.internal.interceptor.IdempotentBeanVerifier;
import io.idempotency.internal.lease.LeaseRenewal;
import io.idempotency.internal.lease.LeasedCalls;
import io.idempotency.internal.lock.LockTemplate;
import io.idempotency.internal.operation.AnnotationOperationSource;
import io.idempotency.internal.operation.AnnotationParser;
import io.idempotency.internal.operation.CallMode;
import io.idempotency.internal.operation.CallOptions;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.operation.OperationRules;
import io.idempotency.internal.operation.RetentionPolicy;
import io.idempotency.internal.ownership.DeclaredNames;
import io.idempotency.internal.ownership.NameOwners;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.request.ResumptionScheduler;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.internal.response.JacksonResponseCodec;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.template.IdempotencyTemplate;
import io.idempotency.internal.tenant.DistinctDatabases;
import io.idempotency.internal.tenant.RoutedDatabase;
import io.idempotency.internal.transaction.JoinedTransactions;
import io.idempotency.lock.TransactionLocks;
import io.idempotency.observation.CallObserver;
import io.idempotency.observation.IdempotencyListener;
import io.idempotency.observation.IdempotencyListeners;
import io.idempotency.observation.SafeCallObserver;

/**
 * The auto-configuration of idempotent methods, {@link IdempotencyOperations} and {@link TransactionLocks}.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
@Import(ProxyCreatorRegistrar.class)
public final class IdempotencyAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static IdempotentOperationSource idempotentOperationSource(
            ConfigurableBeanFactory beanFactory,
            ObjectProvider<RetentionPolicy> retention,
            ObjectProvider<AnnotationParser<?>> otherParsers) {
        return new AnnotationOperationSource(
                new EmbeddedValueResolver(beanFactory),
                retention::getObject,
                otherParsers.orderedStream().toList());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DeclaredTransactions idempotentDeclaredTransactions(IdempotentOperationSource operations) {
        return new DeclaredTransactions(operations);
    }

    @Bean(autowireCandidate = false)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static IdempotentAdvisor idempotentAdvisor(
            IdempotentOperationSource operations,
            DeclaredTransactions transactions,
            ObjectProvider<IdempotentCallExecutor> executor) {
        return new IdempotentAdvisor(operations, transactions, SingletonSupplier.of(executor::getObject));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static IdempotentBeanVerifier idempotentBeanVerifier(
            IdempotentOperationSource operations,
            DeclaredTransactions transactions,
            ObjectProvider<ResponseMapper> responses,
            ObjectProvider<ResumptionScheduler> resumptions,
            ObjectProvider<IdempotencyDataSource> dataSource) {
        return new IdempotentBeanVerifier(
                operations,
                transactions,
                new OperationRules(
                        operations.kinds(), responses::getObject, () -> resumptions.getIfAvailable() != null),
                TestDoubles::isMock,
                manager -> IdempotencyTransactionManager.isElsewhere(
                        manager, dataSource.getObject().dataSource()));
    }

    @Bean
    ContextHierarchyVerifier idempotencyContextHierarchyVerifier(IdempotentOperationSource operations) {
        return new ContextHierarchyVerifier(operations, TestDoubles::isMock);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BeanPostProcessor idempotencyTransactionTracker() {
        return new TransactionTrackerPostProcessor();
    }

    @Bean
    RetentionPolicy idempotencyRetentionPolicy(IdempotencyProperties properties) {
        CallOptions defaults = new CallOptions(
                CallMode.TRANSACTIONAL,
                new CallOptions.Retention(properties.retention(), properties.responseRetention()),
                new CallOptions.Waiting(DuplicatePolicy.WAIT, properties.waitTimeout()),
                new CallOptions.LeaseOptions(properties.lease(), false),
                properties.retry().maxAttempts(),
                List.of(),
                false);
        return new RetentionPolicy(properties.minimumRetention(), defaults);
    }

    @Bean
    IdempotencyDataSource idempotencyDataSource(
            ConfigurableListableBeanFactory beanFactory, IdempotencyProperties properties) {
        return IdempotencyDataSource.find(beanFactory, properties.dataSource());
    }

    @Bean
    PostgresStorage idempotencyStorage(
            IdempotencyDataSource dataSource,
            IdempotencyProperties properties,
            ObjectProvider<StorageFeatures> modules) {
        List<StorageFeature> features = new ArrayList<>(List.of(CoreFeatures.CORE));
        modules.orderedStream().forEach(module -> features.addAll(module.features()));
        try {
            return new PostgresStorage(dataSource.dataSource(), properties.schema(), features);
        } catch (IllegalArgumentException badName) {
            throw new IdempotencyStartupException(
                    badName.getMessage() + ".", "Correct the property, or remove it to use the default.", badName);
        }
    }

    @Bean
    @DependsOnDatabaseInitialization
    ClaimStore idempotencyClaimStore(
            PostgresStorage storage, Environment environment, ObjectProvider<ResumptionScheduler> resumptions) {
        return storage.claimStore(ProcessName.of(environment), resumptions.getIfAvailable());
    }

    @Bean
    @DependsOnDatabaseInitialization
    @ConditionalOnMissingBean
    IdempotencyAdministration idempotencyAdministration(
            PostgresStorage storage, ObjectProvider<ResumptionScheduler> resumptions) {
        return storage.administration(resumptions.getIfAvailable());
    }

    @Bean(defaultCandidate = false)
    IdempotencyListeners idempotencyListeners(ObjectProvider<IdempotencyListener> listeners) {
        return new IdempotencyListeners(listeners.orderedStream().toList());
    }

    @Bean
    @ConditionalOnMissingBean
    IdempotencyJsonMapper idempotencyJsonMapper(ObjectProvider<JsonMapper> mapper) {
        return IdempotencyJsonMapper.find(mapper);
    }

    @Bean
    Fingerprinter idempotencyFingerprinter(IdempotencyJsonMapper json) {
        return new Fingerprinter(json.mapper());
    }

    @Bean
    ResponseMapper idempotencyResponseMapper(
            ObjectProvider<ResponseCodec> codecs, IdempotencyJsonMapper json, IdempotencyProperties properties) {
        List<ResponseCodec> all = new ArrayList<>(codecs.orderedStream().toList());
        all.add(new JacksonResponseCodec(json.mapper()));
        return new ResponseMapper(all, properties.maxResponseSize().toBytes(), properties.verifyResponses());
    }

    @Bean
    @ConditionalOnMissingBean
    DatabaseResolver idempotencyDatabaseResolver(IdempotencyDataSource dataSource) {
        return RoutedDatabase.of(dataSource.dataSource());
    }

    @Bean(defaultCandidate = false)
    DatabaseResolver idempotencyDistinctDatabases(DatabaseResolver resolver, IdempotencyDataSource dataSource) {
        return DistinctDatabases.of(resolver, dataSource.dataSource(), StorageSchema::identityOf);
    }

    @Bean
    @DependsOnDatabaseInitialization
    NameOwners idempotencyNameOwners(
            PostgresStorage storage,
            IdempotencyDataSource dataSource,
            IdempotencyProperties properties,
            Environment environment) {
        String application = StringUtils.hasText(properties.application())
                ? properties.application()
                : environment.getProperty("spring.application.name", "");
        return new NameOwners(application.strip(), properties.schema(), storage.ownerStore(), dataSource.dataSource());
    }

    @Bean
    DeclaredNames idempotentMethodNames(IdempotentBeanVerifier verifier) {
        return verifier::names;
    }

    @Bean
    DeclaredNamesCheck idempotencyDeclaredNamesCheck(
            NameOwners owners, ObjectProvider<DeclaredNames> names, DatabaseResolver databaseResolver) {
        return new DeclaredNamesCheck(owners, names, databaseResolver);
    }

    @Bean
    CallBinding idempotentCallBinding(
            ObjectProvider<CallerResolver> callerResolver,
            @Qualifier("idempotencyDistinctDatabases") DatabaseResolver databaseResolver,
            NameOwners owners,
            Fingerprinter fingerprinter,
            ObjectProvider<FingerprintContributor> contributor,
            ResponseMapper responses,
            @Qualifier("idempotencyListeners") IdempotencyListeners listeners,
            ObjectProvider<CallObserver> observer) {
        return new CallBinding(
                callerResolver.getIfAvailable(() -> () -> ""),
                databaseResolver,
                owners,
                fingerprinter,
                contributor.getIfAvailable(() -> method -> List.of()),
                responses,
                listeners,
                SafeCallObserver.of(observer.getIfAvailable(() -> CallObserver.NONE)));
    }

    @Bean
    @ConditionalOnMissingBean
    FailureTranslator idempotencyFailureTranslator() {
        return new FailureTranslator() {};
    }

    @Bean
    CallSettings idempotentCallSettings(IdempotencyProperties properties) {
        IdempotencyProperties.Retry retry = properties.retry();
        return new CallSettings(
                properties.maxWaiting(),
                properties.mostWaiting(),
                new RetrySettings(new Backoff(retry.delay(), retry.multiplier(), retry.maxDelay()), retry.timeout()),
                properties.recordFailedAttempts());
    }

    @Bean
    JoinedTransactions idempotentCallTransactions(
            IdempotencyDataSource dataSource, ObjectProvider<PlatformTransactionManager> transactionManagers) {
        return new JoinedTransactions(
                dataSource.dataSource(),
                IdempotencyTransactionManager.find(transactionManagers, dataSource.dataSource()));
    }

    @Bean
    CallParts idempotentCallParts(
            ClaimStore claimStore,
            JoinedTransactions transactions,
            IdempotencyDataSource dataSource,
            ResponseMapper responses,
            FailureTranslator failures,
            CallSettings settings) {
        return new CallParts(claimStore, transactions, dataSource.dataSource(), responses, failures, settings);
    }

    @Bean
    LeaseRenewal idempotentLeaseRenewal(
            PostgresStorage storage,
            IdempotencyDataSource dataSource,
            DatabaseResolver databaseResolver,
            IdempotencyProperties properties) {
        return new LeaseRenewal(storage.leaseStore(), dataSource.dataSource(), databaseResolver, properties.maxLease());
    }

    @Bean
    LeasedCalls idempotentLeasedCalls(CallParts parts, LeaseRenewal renewal) {
        return new LeasedCalls(parts, renewal);
    }

    @Bean
    IdempotentCallExecutor idempotentCallExecutor(
            ObjectProvider<CallBinder> binders, LeasedCalls leasedCalls, CallParts parts) {
        return new IdempotentCallExecutor(binders.stream().toList(), leasedCalls, parts);
    }

    @Bean
    @ConditionalOnMissingBean
    TransactionLocks idempotencyTransactionLocks(JoinedTransactions transactions, PostgresStorage storage) {
        return new LockTemplate(transactions, storage.lockStore());
    }

    @Bean
    @ConditionalOnMissingBean
    IdempotencyOperations idempotencyOperations(
            CallBinding binding, IdempotentCallExecutor callExecutor, CallParts parts, RetentionPolicy retention) {
        return new IdempotencyTemplate(binding, callExecutor, parts, retention);
    }
}
