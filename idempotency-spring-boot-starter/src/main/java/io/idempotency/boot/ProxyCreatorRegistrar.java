package io.idempotency.boot;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Registers Spring's creator of proxies, which an application without annotated transactions may not have. */
final class ProxyCreatorRegistrar implements ImportBeanDefinitionRegistrar, EnvironmentAware {

    private boolean usesClassProxies = true;

    @Override
    public void setEnvironment(Environment environment) {
        usesClassProxies = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importer, BeanDefinitionRegistry registry) {
        AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        if (usesClassProxies) {
            AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
        }
    }
}
