package io.idempotency.boot.flyway;

import java.util.Set;

import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;

/** The detector that orders this migration after the application's own and before beans that need a ready database. */
final class IdempotencySchemaInitializerDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

    /** After Flyway and Liquibase, but before scripts, which may have to wait for JPA. */
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
