package io.idempotency.internal.postgres.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.idempotency.Intent;
import io.idempotency.internal.claim.ClaimRequest;
import io.idempotency.internal.claim.Lease;
import io.idempotency.internal.claim.RequestKey;
import io.idempotency.internal.outbox.MessageId;
import io.idempotency.internal.postgres.jdbc.IntentColumns;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;
import io.idempotency.internal.postgres.request.ResumptionScheduler;
import io.idempotency.internal.resume.DueCall;
import io.idempotency.internal.resume.ResumptionStore;

import static java.util.Objects.requireNonNull;

/** The messages in the table {@code outbox_event} that let calls be resumed. */
public final class PostgresResumptions implements ResumptionScheduler, ResumptionStore {

    private final String schedule;

    private final String scheduleAndCommit;

    private final String find;

    private final String hasOthers;

    private final String findUnlocked;

    private final String awaitLease;

    private final String postpone;

    private final String drop;

    private final SearchFloor floor = new SearchFloor(System::nanoTime);

    /** Prepares the statements. */
    public PostgresResumptions(String schemaName) {
        Schema schema = new Schema(schemaName);
        this.schedule = schema.resolve(ResumptionSql.SCHEDULE);
        this.scheduleAndCommit = schedule + MultiStatement.COMMIT;
        this.find = schema.resolve(ResumptionSql.FIND_DUE);
        this.hasOthers = schema.resolve(ResumptionSql.HAS_OTHERS);
        this.findUnlocked = schema.resolve(ResumptionSql.FIND_UNLOCKED);
        this.awaitLease = schema.resolve(ResumptionSql.AWAIT_LEASE);
        this.postpone = schema.resolve(ResumptionSql.POSTPONE);
        this.drop = schema.resolve(ResumptionSql.DROP);
    }

    @Override
    public void schedule(Connection connection, ClaimRequest request, WaitBound bound, boolean commits)
            throws SQLException {
        Lease lease = requireNonNull(request.lease());
        Map<String, String> arguments = requireNonNull(lease.arguments());
        Lease.Resumption resumption = lease.resumption();
        try (MultiStatement statements = MultiStatement.prepare(connection, commits ? scheduleAndCommit : schedule)) {
            StatementParameters parameters = statements.parameters();
            parameters.bound(bound);
            parameters.uuid(MessageId.at(Clock.systemUTC()));
            parameters.string(request.intent().scope());
            parameters.uuid(lease.token());
            parameters.texts(arguments.keySet());
            parameters.texts(arguments.values());
            parameters.uuid(request.id());
            parameters.intent(request.intent());
            parameters.integer(resumption == null ? 0 : resumption.count());
            parameters.duration(resumption == null ? lease.duration() : resumption.nextAfter());
            statements.update();
        }
    }

    @Override
    public String cancellation() {
        return ResumptionSql.CANCEL;
    }

    @Override
    public String failure() {
        return ResumptionSql.FAIL;
    }

    @Override
    public String release() {
        return ResumptionSql.RELEASE;
    }

    @Override
    public String removal() {
        return ResumptionSql.REMOVE;
    }

    @Override
    public List<DueCall> findDue(
            Connection connection, Collection<String> scopes, Collection<UUID> without, int limit) {
        try (MultiStatement statements = MultiStatement.prepare(connection, find)) {
            StatementParameters parameters = statements.parameters();
            SearchFloor.From from = floor.next();
            parameters.integer(from.takesNumber() ? 1 : 0);
            parameters.string(from.time());
            parameters.string(from.time());
            parameters.texts(scopes);
            parameters.array("uuid", without.toArray());
            parameters.integer(limit);
            statements.execute();
            try (ResultSet search = statements.firstRows()) {
                search.next();
                floor.learn(from, SearchFloor.Search.read(search));
            }
            List<DueCall> calls = new ArrayList<>();
            try (ResultSet rows = statements.nextRows()) {
                while (rows.next()) {
                    calls.add(map(rows));
                }
            }
            return calls;
        } catch (SQLException failure) {
            throw SqlFailures.translate("find calls to resume", find, failure);
        }
    }

    private static DueCall map(ResultSet row) throws SQLException {
        String token = row.getString("aggregate_id");
        String problem = token == null ? "it has no aggregate_id, which names its claim" : null;
        if (IntentColumns.read(row) == null) {
            problem = "its scope, caller or key is malformed";
        }
        Map<String, String> arguments = Map.of();
        try {
            arguments = StoredJson.valuesOf(row.getString("payload"));
        } catch (IllegalArgumentException unreadable) {
            problem = "its arguments cannot be read: " + unreadable.getMessage();
        }
        return new DueCall(
                row.getObject("message_id", UUID.class),
                IntentColumns.readAny(row),
                token == null ? "" : token,
                arguments,
                row.getInt("attempt_count"),
                Duration.ofMillis(row.getLong("waited")),
                problem);
    }

    @Override
    public boolean hasOtherDue(Connection connection, Collection<String> scopes) {
        try (PreparedStatement statement = connection.prepareStatement(hasOthers)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.string(floor.next().time());
            parameters.texts(scopes);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("find other calls to resume", hasOthers, failure);
        }
    }

    @Override
    public boolean isLocked(Connection connection, Intent intent) {
        try (PreparedStatement statement = connection.prepareStatement(findUnlocked)) {
            StatementParameters parameters = new StatementParameters(statement);
            parameters.uuid(RequestKey.idOf(intent));
            parameters.string(intent.caller());
            try (ResultSet rows = statement.executeQuery()) {
                return !rows.next();
            }
        } catch (SQLException failure) {
            throw SqlFailures.translate("find the row of a call to resume", findUnlocked, failure);
        }
    }

    @Override
    public void awaitLease(Connection connection, DueCall call, Duration remaining) {
        change(connection, "let a call be due after its lease", awaitLease, call, parameters -> {
            parameters.duration(remaining);
            parameters.duration(remaining);
        });
    }

    @Override
    public void postpone(Connection connection, DueCall call, Duration pause, String reason) {
        change(connection, "postpone a call", postpone, call, parameters -> {
            parameters.duration(pause);
            parameters.string(reason);
        });
    }

    @Override
    public void remove(Connection connection, DueCall call) {
        change(connection, "remove the message of a call", drop, call, parameters -> {});
    }

    private static void change(
            Connection connection, String task, String sql, DueCall call, MultiStatement.Binding values) {
        try (MultiStatement statements = MultiStatement.prepare(connection, sql)) {
            StatementParameters parameters = statements.parameters();
            values.bind(parameters);
            parameters.uuid(call.messageId());
            parameters.string(call.token());
            statements.update();
        } catch (SQLException failure) {
            throw SqlFailures.translate(task, sql, failure);
        }
    }
}
