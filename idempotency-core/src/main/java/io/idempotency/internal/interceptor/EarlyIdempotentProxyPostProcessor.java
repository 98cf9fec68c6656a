package io.idempotency.internal.interceptor;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.core.Ordered;

/**
 * The post-processor that creates a proxy of every bean with idempotent methods before listener post-processors process
 * it, because a listener on the bean's own object would call it unprotected. {@link LateIdempotentChainPostProcessor}
 * sorts the advisors after all others were added.
 */
public final class EarlyIdempotentProxyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the post-processor.
     *
     * @param advisors source of the claim's advisor
     */
    public EarlyIdempotentProxyPostProcessor(IdempotentAdvisors advisors) {
        this.advisor = advisors.claim();
        setOrder(Ordered.HIGHEST_PRECEDENCE + 100);
    }
}
