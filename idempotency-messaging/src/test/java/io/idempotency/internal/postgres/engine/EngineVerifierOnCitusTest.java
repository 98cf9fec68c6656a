package io.idempotency.internal.postgres.engine;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.idempotency.IdempotencyStartupException;
import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.test.TestDatabase;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The layouts of the documentation pass on a real cluster, and others are refused. */
@Tag("citus")
@EnabledIfSystemProperty(named = "idempotency.test.database", matches = "citus", disabledReason = "It needs -Pcitus.")
class EngineVerifierOnCitusTest {

    private TestDatabase database;

    private EngineVerifier verifier;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        verifier = MigratedTables.storage(database.dataSource(), MigratedTables.SCHEMA)
                .engineVerifier();
    }

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void theLayoutOfTheDocumentationPasses() {
        assertThatCode(verifier::requireSuitableServer).doesNotThrowAnyException();
        assertThatCode(verifier::verifyTables).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({
        "stream_position, consumer, on its column consumer",
        "purge_lease, one_row, on its column one_row",
        "processed_message_head, , a reference table"
    })
    void anotherLayoutIsRefused(String table, String column, String problem) {
        String name = "idempotency." + table;
        if (table.equals("stream_position")) {
            database.jdbc().query("select undistribute_table(?)", row -> {}, name);
        }
        if (column == null) {
            database.jdbc().query("select create_reference_table(?)", row -> {}, name);
        } else {
            database.jdbc().query("select create_distributed_table(?, ?)", row -> {}, name, column);
        }

        assertThatThrownBy(verifier::verifyTables)
                .isInstanceOf(IdempotencyStartupException.class)
                .hasMessageContaining("table " + table)
                .hasMessageContaining(problem);
    }
}
