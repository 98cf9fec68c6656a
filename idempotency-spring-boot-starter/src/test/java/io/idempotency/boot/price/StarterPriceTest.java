package io.idempotency.boot.price;

import java.io.IOException;

import org.junit.jupiter.api.Test;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** What an application has in its database, and which threads run, with the starter alone. */
@PostgresTest(empty = true)
class StarterPriceTest {

    @Test
    void theStarterBringsWhatReadmeSays(TestDatabase database) throws IOException {
        PriceTable.assertTells(1, database);
    }
}
