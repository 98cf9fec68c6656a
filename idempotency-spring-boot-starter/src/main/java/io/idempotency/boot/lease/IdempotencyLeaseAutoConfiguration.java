package io.idempotency.boot.lease;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.internal.lease.LeaseRenewal;
import io.idempotency.internal.lease.LeasedCalls;

/** The auto-configuration of the loop that renews the leases of running calls. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(LeaseRenewal.class)
public final class IdempotencyLeaseAutoConfiguration {

    @Bean
    LeaseRenewer idempotencyLeaseRenewer(
            LeaseRenewal renewal, LeasedCalls calls, ConfigurableListableBeanFactory beans) {
        LeaseRenewer renewer = new LeaseRenewer(renewal, calls, beans);
        renewal.wakeBy(renewer::wakeOrBegin);
        return renewer;
    }
}
