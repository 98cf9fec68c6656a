package io.idempotency.internal.postgres.maintenance;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.idempotency.internal.claim.Fence;
import io.idempotency.internal.claim.LeaseStore;
import io.idempotency.internal.postgres.jdbc.Clients;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;
import io.idempotency.internal.postgres.request.RequestSql;
import io.idempotency.internal.postgres.schema.CoreFeatures;
import io.idempotency.internal.postgres.schema.DistributedTables;

/** The store of the leases in the table {@code idempotency_request}. */
public final class PostgresLeaseStore implements LeaseStore {

    private final String renew;

    private final String renewOfShard;

    private final DistributedTables distributedTables;

    /** Prepares the statements. */
    public PostgresLeaseStore(Schema schema) {
        this.renew = schema.resolve(RequestSql.RENEW_LEASES);
        this.renewOfShard = schema.resolve(RequestSql.RENEW_LEASE_OF_SHARD);
        this.distributedTables = new DistributedTables(schema, List.of(CoreFeatures.CORE));
    }

    @Override
    public List<Result> renew(Connection connection, List<Renewal> renewals, Duration bound) {
        return isDistributed(connection)
                ? renewals.stream()
                        .map(lease -> renewOfShard(connection, lease, bound))
                        .toList()
                : renewTogether(connection, renewals, bound);
    }

    /** Asked each time, because a table may be distributed while an instance runs. Ends the transaction of the question. */
    private boolean isDistributed(Connection connection) {
        boolean isDistributed = Clients.withClient(distributedTables::find).apply(connection).stream()
                .anyMatch(table -> table.table().equals(CoreFeatures.IDEMPOTENCY_REQUEST));
        try {
            connection.rollback();
        } catch (SQLException failure) {
            throw SqlFailures.translate("renew leases", renew, failure);
        }
        return isDistributed;
    }

    private List<Result> renewTogether(Connection connection, List<Renewal> renewals, Duration bound) {
        try (MultiStatement statements = MultiStatement.prepare(connection, renew)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(WaitBound.remaining(bound, System.nanoTime()));
            List<Fence> fences = renewals.stream().map(Renewal::fence).toList();
            parameters.array("uuid", fences.stream().map(Fence::requestId).toArray());
            parameters.array("text", fences.stream().map(Fence::caller).toArray());
            parameters.array("int4", fences.stream().map(Fence::attempt).toArray());
            parameters.array("uuid", fences.stream().map(Fence::token).toArray());
            parameters.array(
                    "int8",
                    renewals.stream().map(lease -> lease.duration().toMillis()).toArray());
            statements.execute();
            List<Result> results = new ArrayList<>();
            ResultSet rows = statements.nextRows();
            while (rows.next()) {
                results.add(resultOf(rows.getBoolean("is_renewed"), rows.getBoolean("is_claimed")));
            }
            return results;
        } catch (SQLException failure) {
            throw SqlFailures.translate("renew leases", renew, failure);
        }
    }

    private Result renewOfShard(Connection connection, Renewal lease, Duration bound) {
        try (MultiStatement statements = MultiStatement.prepare(connection, renewOfShard)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(WaitBound.remaining(bound, System.nanoTime()));
            bindClaim(parameters, lease.fence());
            parameters.duration(lease.duration());
            parameters.duration(lease.duration());
            parameters.duration(lease.duration());
            bindClaim(parameters, lease.fence());
            bindClaim(parameters, lease.fence());
            statements.execute();
            int renewed = statements.nextCount();
            return resultOf(renewed == 1, statements.nextRows().next());
        } catch (SQLException failure) {
            throw SqlFailures.translate("renew a lease", renewOfShard, failure);
        }
    }

    private static void bindClaim(StatementParameters parameters, Fence fence) throws SQLException {
        parameters.uuid(fence.requestId());
        parameters.string(fence.caller());
        parameters.integer(fence.attempt());
        parameters.uuid(fence.token());
    }

    private static Result resultOf(boolean isRenewed, boolean isClaimed) {
        if (isRenewed) {
            return Result.RENEWED;
        }
        return isClaimed ? Result.UNCHANGED : Result.LOST;
    }
}
