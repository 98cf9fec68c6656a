package io.idempotency.boot.contract;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

import io.idempotency.test.TestDatabaseExtension;

/** The applications of a test class: cleared after each test, stopped after the class. */
final class ContractApplicationsExtension implements ParameterResolver, AfterEachCallback {

    private static final Namespace NAMESPACE = Namespace.create(ContractApplicationsExtension.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ContractApplications.class;
    }

    @Override
    public ContractApplications resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .computeIfAbsent(
                        ContractApplications.class,
                        key -> new ContractApplications(TestDatabaseExtension.databaseOf(context)),
                        ContractApplications.class);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        ContractApplications applications =
                context.getStore(NAMESPACE).get(ContractApplications.class, ContractApplications.class);
        if (applications != null) {
            applications.clear();
        }
    }
}
