package io.idempotency.internal.postgres.schema;

import java.util.List;

import io.idempotency.internal.postgres.schema.StorageFeature.SqlScript;
import io.idempotency.internal.postgres.schema.StorageTable.Trait;

/** The tables of calls and of the purge, which every application has, and the archive of the former. */
public final class CoreFeatures {

    /** The location of the SQL functions. */
    public static final String SQL_FUNCTIONS = "io/idempotency/internal/postgres/sql-functions/core.sql";

    /**
     * Requests. An expired lease is deleted after its retention like a success, because no repeat is expected any more. An
     * abandoned request stays until an operator decides about it.
     */
    public static final StorageTable IDEMPOTENCY_REQUEST = StorageTable.written(
                    "idempotency_request", "request_id", """
            request_id, idempotency_scope, caller, idempotency_key, request_hash, hash_version, status,
            result_ref_type, result_ref_id, response_body, failure_code, failure_message, steps, claimed_by, claim_token, claimed_at, locked_until, attempt_count, created_at, updated_at, expires_at,
            response_expires_at""")
            .expiringIf("(status <> 'processing' or locked_until < statement_timestamp())")
            .uniqueBy("request_id", "caller, request_id")
            .distributedBy("request_id", "caller");

    private static final StorageTable PURGE_LEASE = StorageTable.written(
            "purge_lease", "one_row", "one_row, run_id, held_by, started_at, held_until", Trait.BOOKKEEPING);

    private static final StorageTable OWNER =
            StorageTable.written("owner", "kind, name", "kind, name, application, since", Trait.BOOKKEEPING);

    /** The tables that every application has. */
    public static final StorageFeature CORE = new StorageFeature(
            "core",
            "io/idempotency/internal/postgres/migration/core",
            List.of("V1__requests.sql"),
            "idempotency_schema_history",
            List.of(IDEMPOTENCY_REQUEST, PURGE_LEASE, OWNER),
            new SqlScript(SQL_FUNCTIONS, "idempotency_functions_version", 3),
            null);

    /** The archive, where the purge keeps expired rows. */
    public static final StorageFeature ARCHIVE = new StorageFeature(
            "core-archive",
            "io/idempotency/internal/postgres/migration/core-archive",
            List.of("V1__requests_archive.sql"),
            "idempotency_archive_history",
            List.of(IDEMPOTENCY_REQUEST.archive()));

    private CoreFeatures() {}

    /** Returns all features of this module, in the order in which they are migrated. */
    public static List<StorageFeature> all() {
        return List.of(CORE, ARCHIVE);
    }
}
