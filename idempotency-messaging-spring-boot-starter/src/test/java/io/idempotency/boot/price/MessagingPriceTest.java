package io.idempotency.boot.price;

import java.io.IOException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;

import io.idempotency.boot.outbox.IdempotencyOutboxAutoConfiguration;
import io.idempotency.test.PostgresTest;
import io.idempotency.test.TestDatabase;

/** What an application has in its database, which threads run and what it does without work, with the starter of messages. */
@PostgresTest(empty = true)
class MessagingPriceTest {

    @Test
    void theStarterBringsWhatReadmeSays(TestDatabase database) throws IOException {
        PriceTable.assertTells(2, database, WithOutbox.class);
    }

    @Test
    @Tag("full")
    void withoutWorkItMakesTheTransactionsThatReadmeSays(TestDatabase database) throws IOException {
        PriceTable.assertTellsTransactionsWithoutWork(2, database, WithOutbox.class);
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(IdempotencyOutboxAutoConfiguration.class)
    static class WithOutbox {}
}
