package io.idempotency.sample.demo;

import java.util.Objects;

import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.aop.support.RootClassFilter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

import io.idempotency.sample.payments.Wallet;

/** Where attempts are recognised, slowed down and disturbed. */
@Configuration(proxyBeanMethods = false)
class DemoConfiguration {

    /** No component, because tests of single controllers have all filters that are, and none of what this one needs. */
    @Bean
    AttemptFilter attemptFilter(RunningRuns runs, CurrentAttempt current) {
        return new AttemptFilter(runs, current);
    }

    /** Of this role because without AspectJ those are the only advisors that are applied. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor executionsAdvisor(ObjectProvider<Executions> executions) {
        NameMatchMethodPointcut payments = new NameMatchMethodPointcut();
        payments.setClassFilter(new RootClassFilter(Wallet.class));
        payments.addMethodName("pay");
        // Advisors are made before the beans that they are applied to, and what they need would be made too early.
        return new DefaultPointcutAdvisor(payments, (MethodInterceptor)
                invocation -> executions.getObject().execute(() -> Objects.requireNonNull(invocation.proceed())));
    }
}
