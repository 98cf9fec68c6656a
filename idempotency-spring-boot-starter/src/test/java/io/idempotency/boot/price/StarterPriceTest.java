package io.idempotency.boot.price;

import java.io.IOException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** What an application has in its database, which threads run and what it does without work, with the starter alone. */
@PostgresTest(empty = true)
class StarterPriceTest {

    @Test
    void theStarterBringsWhatReadmeSays(TestDatabase database) throws IOException {
        PriceTable.assertTells(1, database);
    }

    @Test
    @Tag("full")
    void withoutWorkItMakesTheTransactionsThatReadmeSays(TestDatabase database) throws IOException {
        PriceTable.assertTellsTransactionsWithoutWork(1, database);
    }
}
