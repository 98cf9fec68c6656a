package io.idempotency.internal.postgres.ownership;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.idempotency.internal.ownership.OwnedName;
import io.idempotency.internal.ownership.OwnerStore;
import io.idempotency.internal.postgres.jdbc.MultiStatement;
import io.idempotency.internal.postgres.jdbc.Schema;
import io.idempotency.internal.postgres.jdbc.SqlFailures;
import io.idempotency.internal.postgres.jdbc.StatementParameters;
import io.idempotency.internal.postgres.jdbc.WaitBound;

/** The store of owners in the table {@code owner}. */
public final class PostgresOwnerStore implements OwnerStore {

    /** Names without an owner, or with another one. What cannot be recorded, because the server only reads, has no owner to report. */
    private static final String FIND_OTHERS = """
            select given.kind, given.name, coalesce(found.application, '') as application
            from unnest(?::text[], ?::text[]) as given (kind, name)
            left join {schema}.owner as found on found.kind = given.kind and found.name = given.name
            where (found.application is null or found.application <> cast(? as text))
                and (coalesce(found.application, '') <> '' or current_setting('transaction_read_only') = 'off')
            order by given.kind, given.name""";

    /**
     * In one order, so that two applications that start together do not wait for each other. The bound ends the wait for a transaction
     * whose client is gone, so that a later use asks again.
     */
    private static final String RECORD = """
            insert into {schema}.owner as found (kind, name, application, since)
            select given.kind, given.name, cast(? as text), statement_timestamp()
            from unnest(?::text[], ?::text[]) as given (kind, name)
            order by given.kind, given.name
            on conflict (kind, name) do update set application = excluded.application, since = excluded.since
            where found.application = '' and excluded.application <> ''""";

    private final String findOthers;

    private final String record;

    /** Prepares the statements. */
    public PostgresOwnerStore(Schema schema) {
        this.findOthers = schema.resolve(FIND_OTHERS);
        this.record = schema.resolve(WaitBound.BRIEFLY + RECORD);
    }

    @Override
    public List<ForeignName> record(Connection connection, String application, Collection<OwnedName> names) {
        List<ForeignName> others = findOthers(connection, application, names);
        if (others.stream().noneMatch(other -> other.application().isEmpty())) {
            return others;
        }
        try (MultiStatement statement = MultiStatement.prepare(connection, record)) {
            StatementParameters parameters = statement.parameters();
            parameters.string(application);
            bind(parameters, names);
            statement.execute();
        } catch (SQLException failure) {
            throw SqlFailures.translate("record the owner of names", record, failure);
        }
        // Another application may have been quicker.
        return findOthers(connection, application, names);
    }

    private List<ForeignName> findOthers(Connection connection, String application, Collection<OwnedName> names) {
        try (MultiStatement statement = MultiStatement.prepare(connection, findOthers)) {
            StatementParameters parameters = statement.parameters();
            bind(parameters, names);
            parameters.string(application);
            statement.execute();
            List<ForeignName> found = new ArrayList<>();
            ResultSet rows = statement.firstRows();
            while (rows.next()) {
                found.add(new ForeignName(
                        new OwnedName(rows.getString("kind"), rows.getString("name")), rows.getString("application")));
            }
            return found;
        } catch (SQLException failure) {
            throw SqlFailures.translate("find the owner of names", findOthers, failure);
        }
    }

    private static void bind(StatementParameters parameters, Collection<OwnedName> names) throws SQLException {
        parameters.texts(names.stream().map(OwnedName::kind).toList());
        parameters.texts(names.stream().map(OwnedName::name).toList());
    }
}
