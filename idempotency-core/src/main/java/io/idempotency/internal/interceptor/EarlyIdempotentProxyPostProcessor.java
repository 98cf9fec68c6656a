package io.idempotency.internal.interceptor;

import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.core.Ordered;

/**
 * Makes a proxy of every bean with idempotent methods before listener post-processors look at it: one that had captured
 * the bean's own object would call it unprotected. {@link LateIdempotentChainPostProcessor} puts the advisors in order
 * when everybody else has added theirs.
 */
public final class EarlyIdempotentProxyPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the post-processor.
     *
     * @param advisors the claim's is added here
     */
    public EarlyIdempotentProxyPostProcessor(IdempotentAdvisors advisors) {
        this.advisor = advisors.claim();
        setOrder(Ordered.HIGHEST_PRECEDENCE + 100);
    }
}
