package io.idempotency.internal.resume;

import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

import io.idempotency.Intent;

/** The store of the messages that let calls be resumed. A message that was scheduled anew since it was found is not changed. */
public interface ResumptionStore {

    /** Finds calls that are due, those that are due for longest first. Others may find them too. */
    List<DueCall> findDue(Connection connection, Collection<String> scopes, Collection<UUID> without, int limit);

    /** Returns whether calls are due that are not of these scopes. */
    boolean hasOtherDue(Connection connection, Collection<String> scopes);

    /** Returns whether another transaction holds the row of a call, for which its claim would wait. It may also be deleted. */
    boolean isLocked(Connection connection, Intent intent);

    /** Lets a call be due when its lease ends, which was renewed. */
    void awaitLease(Connection connection, DueCall call, Duration remaining);

    /** Lets a call that is due be found later, and keeps the reason for operators. This is no attempt. */
    void postpone(Connection connection, DueCall call, Duration pause, String reason);

    /** Removes a call that has ended. */
    void remove(Connection connection, DueCall call);
}
