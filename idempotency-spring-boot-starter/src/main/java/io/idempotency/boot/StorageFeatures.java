package io.idempotency.boot;

import java.util.List;

import io.idempotency.internal.postgres.schema.StorageFeature;

/**
 * What a module adds to the schema. Each module that has tables of its own contributes one bean.
 *
 * @param features the features that this application has, in the order in which they are migrated
 */
public record StorageFeatures(List<StorageFeature> features) {

    /** Copies the list. */
    public StorageFeatures {
        features = List.copyOf(features);
    }
}
