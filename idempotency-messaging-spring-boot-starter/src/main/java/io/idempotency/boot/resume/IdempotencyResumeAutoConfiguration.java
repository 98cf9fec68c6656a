package io.idempotency.boot.resume;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

import io.idempotency.DatabaseResolver;
import io.idempotency.FailureTranslator;
import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.boot.IdempotencyDataSource;
import io.idempotency.boot.IdempotencyProperties;
import io.idempotency.boot.outbox.IdempotencyOutboxProperties;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.interceptor.StartupChecks;
import io.idempotency.internal.lease.LeasedCalls;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.postgres.outbox.PostgresResumptions;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.resume.CallResumer;
import io.idempotency.internal.resume.ResumableMethods;
import io.idempotency.messaging.MessagingListeners;

/** The auto-configuration of the messages that let leased calls be resumed, and of the loop that does it. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(PostgresStorage.class)
@ConditionalOnBooleanProperty(name = "idempotency.outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties({IdempotencyOutboxProperties.class, IdempotencyResumeProperties.class})
public final class IdempotencyResumeAutoConfiguration {

    @Bean
    PostgresResumptions idempotencyResumptions(IdempotencyProperties properties) {
        return new PostgresResumptions(properties.schema());
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "idempotency.resume.enabled", matchIfMissing = true)
    ResumableMethods idempotencyResumableMethods(
            ConfigurableListableBeanFactory beans,
            IdempotentOperationSource operations,
            ResponseMapper codecs,
            Fingerprinter fingerprinter) {
        return new ResumableMethods(beans, operations, codecs, fingerprinter);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "idempotency.resume.enabled", matchIfMissing = true)
    StartupChecks idempotencyResumableMethodsChecks(ResumableMethods methods) {
        return methods::checks;
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "idempotency.resume.enabled", matchIfMissing = true)
    CallResumer idempotencyCallResumer(
            ResumableMethods methods,
            ClaimStore store,
            PostgresResumptions resumptions,
            IdempotencyDataSource dataSource,
            DatabaseResolver databaseResolver,
            FailureTranslator failures,
            LeasedCalls leasedCalls,
            IdempotencyOutboxProperties properties,
            @Qualifier("idempotencyMessagingListeners") MessagingListeners listeners) {
        return new CallResumer(
                methods,
                store,
                resumptions,
                dataSource.dataSource(),
                databaseResolver,
                failures,
                properties.maxAttempts(),
                properties.backoff().toBackoff(),
                listeners,
                leasedCalls::runsInThisJvm);
    }

    @Bean
    @ConditionalOnBooleanProperty(name = "idempotency.resume.enabled", matchIfMissing = true)
    ResumeRunner idempotencyResumeRunner(
            CallResumer resumer, ResumableMethods methods, IdempotencyOutboxProperties properties) {
        return new ResumeRunner(
                resumer, methods, properties.handlerThreads(), properties.pollInterval(), properties.sendTimeout());
    }
}
