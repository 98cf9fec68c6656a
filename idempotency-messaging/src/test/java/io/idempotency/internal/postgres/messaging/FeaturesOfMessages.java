package io.idempotency.internal.postgres.messaging;

import java.util.List;

import io.idempotency.internal.postgres.MigratedTables;
import io.idempotency.internal.postgres.schema.StorageFeature;

/** The features of messages, for tests whose tables are migrated. */
public final class FeaturesOfMessages implements MigratedTables.Features {

    @Override
    public List<StorageFeature> all() {
        return MessagingFeatures.all();
    }
}
