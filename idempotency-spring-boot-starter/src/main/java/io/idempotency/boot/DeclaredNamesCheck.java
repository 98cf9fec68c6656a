package io.idempotency.boot;

import java.util.stream.Collectors;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

import io.idempotency.DatabaseResolver;
import io.idempotency.internal.ownership.DeclaredNames;
import io.idempotency.internal.ownership.NameOwners;
import io.idempotency.internal.tenant.RoutedDatabase;

/**
 * The check at start-up that the names of annotated methods belong to this application. It comes when all of them are known,
 * before anything that receives or sends is started.
 */
final class DeclaredNamesCheck implements SmartLifecycle {

    private final NameOwners owners;

    private final ObjectProvider<DeclaredNames> names;

    private final DatabaseResolver databaseResolver;

    private boolean isChecked;

    DeclaredNamesCheck(NameOwners owners, ObjectProvider<DeclaredNames> names, DatabaseResolver databaseResolver) {
        this.owners = owners;
        this.names = names;
        this.databaseResolver = databaseResolver;
    }

    @Override
    public void start() {
        if (!isChecked) {
            owners.requireDeclared(
                    names.stream().flatMap(DeclaredNames::names).collect(Collectors.toSet()),
                    RoutedDatabase.isSingle(databaseResolver) ? databaseResolver.resolveDatabase() : null);
            isChecked = true;
        }
    }

    /** Does nothing: a context that is started again declares the same names. */
    @Override
    public void stop() {}

    @Override
    public boolean isRunning() {
        return isChecked;
    }

    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
