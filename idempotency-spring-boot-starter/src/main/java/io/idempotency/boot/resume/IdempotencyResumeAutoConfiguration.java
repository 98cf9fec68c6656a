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
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.fingerprint.Fingerprinter;
import io.idempotency.internal.lease.LeasedCalls;
import io.idempotency.internal.operation.IdempotentOperationSource;
import io.idempotency.internal.postgres.PostgresStorage;
import io.idempotency.internal.response.ResponseMapper;
import io.idempotency.internal.resume.CallResumer;
import io.idempotency.internal.resume.ResumableMethods;
import io.idempotency.observation.IdempotencyListeners;

/** The auto-configuration of the threads that resume leased calls. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(PostgresStorage.class)
@ConditionalOnBooleanProperty(name = "idempotency.resume.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyResumeProperties.class)
public final class IdempotencyResumeAutoConfiguration {

    @Bean
    ResumableMethods idempotencyResumableMethods(
            ConfigurableListableBeanFactory beans,
            IdempotentOperationSource operations,
            ResponseMapper codecs,
            Fingerprinter fingerprinter) {
        return new ResumableMethods(beans, operations, codecs, fingerprinter);
    }

    @Bean
    CallResumer idempotencyCallResumer(
            ResumableMethods methods,
            ClaimStore store,
            IdempotencyDataSource dataSource,
            DatabaseResolver databaseResolver,
            FailureTranslator failures,
            LeasedCalls leasedCalls,
            IdempotencyResumeProperties properties,
            @Qualifier("idempotencyListeners") IdempotencyListeners listeners) {
        return new CallResumer(
                methods,
                store,
                dataSource.dataSource(),
                databaseResolver,
                failures,
                properties.maxAttempts(),
                listeners,
                leasedCalls::attemptInThisJvm);
    }

    @Bean
    ResumeRunner idempotencyResumeRunner(
            CallResumer resumer, ResumableMethods methods, IdempotencyResumeProperties properties) {
        return new ResumeRunner(resumer, methods, properties);
    }
}
