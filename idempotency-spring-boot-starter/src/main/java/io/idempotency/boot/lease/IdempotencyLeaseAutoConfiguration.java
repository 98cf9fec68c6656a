package io.idempotency.boot.lease;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.internal.lease.LeaseRenewal;

/** The auto-configuration of the loop that renews the leases of running calls. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(LeaseRenewal.class)
public final class IdempotencyLeaseAutoConfiguration {

    @Bean
    LeaseRenewer idempotencyLeaseRenewer(LeaseRenewal renewal) {
        return new LeaseRenewer(renewal);
    }
}
