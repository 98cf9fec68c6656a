package io.idempotency.boot.jpa;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.orm.jpa.support.OpenEntityManagerInViewInterceptor;

import io.idempotency.boot.IdempotencyAutoConfiguration;
import io.idempotency.internal.call.IdempotentCallExecutor;

/** The auto-configuration of the warning about open-in-view. */
@AutoConfiguration(
        after = IdempotencyAutoConfiguration.class,
        afterName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnClass(OpenEntityManagerInViewInterceptor.class)
@ConditionalOnBean({IdempotentCallExecutor.class, OpenEntityManagerInViewInterceptor.class})
public final class IdempotencyOpenInViewAutoConfiguration {

    @Bean
    OpenInViewWarning idempotencyOpenInViewWarning() {
        return new OpenInViewWarning();
    }
}
