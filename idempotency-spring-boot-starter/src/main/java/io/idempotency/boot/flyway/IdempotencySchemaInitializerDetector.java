package io.idempotency.boot.flyway;

import java.util.Set;

import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;

/** Lets beans that need a ready database wait for our tables, and our migration wait for the application's own. */
final class IdempotencySchemaInitializerDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

    /** Behind Flyway and Liquibase, and before scripts, which may have to wait for JPA. */
    private static final int ORDER = 100;

    @Override
    protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
        return Set.of(IdempotencySchemaInitializer.class);
    }

    @Override
    public int getOrder() {
        return ORDER;
    }
}
