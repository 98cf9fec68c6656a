package io.idempotency.boot.datasource;

import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;

import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** Leads each thread to the database whose name it has now. */
final class Routing extends AbstractRoutingDataSource {

    private final Supplier<String> name;

    Routing(Supplier<String> name, Map<Object, Object> databases, DataSource byDefault) {
        this.name = name;
        setTargetDataSources(databases);
        setDefaultTargetDataSource(byDefault);
        afterPropertiesSet();
    }

    @Override
    protected Object determineCurrentLookupKey() {
        return name.get();
    }
}
