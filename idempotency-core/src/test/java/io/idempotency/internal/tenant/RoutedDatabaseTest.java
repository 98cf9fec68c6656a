package io.idempotency.internal.tenant;

import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RoutedDatabaseTest {

    /** As one that makes its targets on demand. */
    @Test
    void aRoutingDataSourceWithoutTargetsIsToldWhatToDefine() {
        AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
            @Override
            protected Object determineCurrentLookupKey() {
                return "red";
            }
        };

        assertThatIllegalStateException()
                .isThrownBy(() -> RoutedDatabase.of(routing).resolveDatabase())
                .withMessageContainingAll("does not tell between which databases", "define a DatabaseResolver bean");
    }
}
