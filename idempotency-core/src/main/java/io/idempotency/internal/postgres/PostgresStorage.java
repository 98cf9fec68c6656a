package io.idempotency.internal.postgres;

import java.util.List;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.internal.claim.ClaimStore;
import io.idempotency.internal.claim.LeaseStore;
import io.idempotency.internal.lock.LockStore;
import io.idempotency.internal.ownership.OwnerStore;
import io.idempotency.internal.postgres.administration.PostgresAdministration;
import io.idempotency.internal.postgres.engine.EngineVerifier;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.lock.PostgresLockStore;
import io.idempotency.internal.postgres.maintenance.PostgresLeaseStore;
import io.idempotency.internal.postgres.maintenance.PostgresPurgeStore;
import io.idempotency.internal.postgres.maintenance.PostgresStorageStatistics;
import io.idempotency.internal.postgres.ownership.PostgresOwnerStore;
import io.idempotency.internal.postgres.request.PostgresClaimStore;
import io.idempotency.internal.postgres.request.ResumptionScheduler;
import io.idempotency.internal.postgres.schema.StorageFeature;
import io.idempotency.internal.postgres.schema.StorageSchema;
import io.idempotency.internal.retention.PurgeStore;
import io.idempotency.internal.retention.StorageStatistics;

/** The factory of the stores of the library's tables in one PostgreSQL schema. */
public final class PostgresStorage {

    private final Schema schema;

    private final DataSource dataSource;

    private final List<StorageFeature> features;

    /**
     * Creates the factory. Nothing is read or written yet.
     *
     * @param schema the schema's name: at most 63 lower-case letters, digits and underscores
     * @param features what the application has, in the order in which it is migrated
     * @throws IllegalArgumentException if the schema's name is not well-formed
     */
    public PostgresStorage(DataSource dataSource, String schema, List<StorageFeature> features) {
        this.dataSource = dataSource;
        this.features = List.copyOf(features);
        this.schema = new Schema(schema);
    }

    /**
     * Returns the store of claims.
     *
     * @param scheduler lets calls be resumed; {@code null} if none may be
     */
    public ClaimStore claimStore(String claimedBy, @Nullable ResumptionScheduler scheduler) {
        return new PostgresClaimStore(schema, claimedBy, scheduler);
    }

    /** Returns the store of the leases of running calls. */
    public LeaseStore leaseStore() {
        return new PostgresLeaseStore(schema);
    }

    /** Returns the store of the application's locks. */
    public LockStore lockStore() {
        return new PostgresLockStore();
    }

    /** Returns the store of the applications to which names belong. */
    public OwnerStore ownerStore() {
        return new PostgresOwnerStore(schema);
    }

    /**
     * Returns the queries and changes of operators.
     *
     * @param scheduler lets calls be resumed; {@code null} if none may be
     */
    public IdempotencyAdministration administration(@Nullable ResumptionScheduler scheduler) {
        return new PostgresAdministration(schema, dataSource, scheduler);
    }

    /**
     * Returns the store of the purge. Only one run of all instances purges at a time.
     *
     * @param archive whether rows are moved to the archive instead of being deleted; expired responses are cleared in both
     *     cases
     */
    public PurgeStore purgeStore(String heldBy, boolean archive) {
        return new PostgresPurgeStore(schema, dataSource, features, heldBy, archive);
    }

    /** Returns statistics of the tables that are known without reading the tables. */
    public StorageStatistics statistics() {
        return new PostgresStorageStatistics(schema, dataSource, features);
    }

    /** Returns the creation and validation of the schema. */
    public StorageSchema schema() {
        return new StorageSchema(schema, dataSource, features);
    }

    /** Returns the check at start-up that the guarantee holds on the database. */
    public EngineVerifier engineVerifier() {
        return new EngineVerifier(schema, dataSource, features);
    }
}
