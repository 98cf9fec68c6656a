package io.idempotency.boot.testing;

import org.springframework.context.ApplicationContext;

import io.idempotency.DatabaseResolver;
import io.idempotency.internal.ownership.NameOwners;

/** Names that an application uses without declaring them. The first use of each records its owner, in a transaction of its own. */
public final class RunTimeNames {

    private RunTimeNames() {}

    /**
     * Records an application as the owner of names, so that a test meets only the statements of its calls.
     *
     * @param kind scope, consumer or topic
     */
    public static void record(ApplicationContext application, String kind, String... names) {
        NameOwners owners = application.getBean(NameOwners.class);
        Object database = application
                .getBean("idempotencyDistinctDatabases", DatabaseResolver.class)
                .resolveDatabase();
        for (String name : names) {
            owners.require(database, kind, name);
        }
    }
}
