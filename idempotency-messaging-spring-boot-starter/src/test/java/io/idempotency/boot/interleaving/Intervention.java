package io.idempotency.boot.interleaving;

import java.time.Duration;
import java.util.List;
import java.util.UUID;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.util.ReflectionTestUtils;

import io.idempotency.IdempotencyAdministration;
import io.idempotency.IdempotencyAdministration.Reason;
import io.idempotency.Intent;
import io.idempotency.InterventionRefusedException;
import io.idempotency.boot.interleaving.Shop.Receipt;
import io.idempotency.internal.lease.LeaseRenewal;

/** What somebody does to a row beside the callers of its key. */
enum Intervention {
    /** The lease of the call expires that runs. */
    EXPIRY(false, 1, 1) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            applications
                    .beans(JdbcTemplate.class)
                    .get(place)
                    .update(EXPIRE_LEASE, intent.key().value(), intent.key().value());
            return true;
        }
    },

    /** An operator lets the next call run instead of one whose lease has expired. */
    RELEASE(true, 1, 1) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            EXPIRY.perform(applications, place, intent, callers);
            Actor.stopsOnlyAt("update");
            return isAccepted(() -> administration(applications, place).releaseStale(intent, REASON));
        }
    },

    /** An operator answers for a call whose lease has expired. */
    COMPLETION(true, 0, 1) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            EXPIRY.perform(applications, place, intent, callers);
            Actor.stopsOnlyAt("update");
            return isAccepted(() -> administration(applications, place).completeStale(intent, ANSWER_AS_JSON, REASON));
        }

        @Override
        Receipt answer() {
            return ANSWER;
        }
    },

    /** An operator deletes the row of a call that has ended, or whose lease has expired. */
    DELETION(true, 1, 2) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            EXPIRY.perform(applications, place, intent, callers);
            return FORGETTING.perform(applications, place, intent, callers);
        }
    },

    /** An operator deletes the row of a call that has ended. */
    FORGETTING(false, 1, 2) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            Actor.stopsOnlyAt("delete from");
            return isAccepted(() -> administration(applications, place).forget(intent, REASON));
        }
    },

    /** The retention of the row ends, and then the purge runs. The row of an answer may be deleted, and no later one. */
    PURGE(false, 1, 2) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            // A purge that a fault has struck keeps its own lease for some seconds.
            applications.database().jdbc().update("delete from idempotency.purge_lease");
            JdbcTemplate jdbc = applications.beans(JdbcTemplate.class).get(place);
            boolean isAnswered =
                    jdbc.queryForList(AGE, String.class, intent.key().value()).contains("succeeded");
            Actor.stopsOnlyAt("delete from \"idempotency\".idempotency_request");
            applications.beans(Purging.class).get(place).purge();
            return isAnswered;
        }
    },

    /** The time of the response of a call that runs is over, and then the purge runs. It is not the end of the row. */
    CLEARING(false, 1, 1) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            applications.database().jdbc().update("delete from idempotency.purge_lease");
            applications
                    .beans(JdbcTemplate.class)
                    .get(place)
                    .update(AGE_RESPONSE, intent.key().value());
            Actor.stopsOnlyAt("the purge is one step");
            applications.beans(Purging.class).get(place).purge();
            return false;
        }
    },

    /** An instance renews the leases of its calls. */
    RENEWAL(false, 1, 1) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            // A statement, so that the scheduler decides when.
            applications.beans(JdbcTemplate.class).get(place).execute("select 1");
            LeaseRenewal renewal = applications.beans(LeaseRenewal.class).get(place);
            ReflectionTestUtils.invokeMethod(renewal, "renewDueIn", Duration.ofMinutes(50));
            return true;
        }
    },

    /** An instance finishes calls that are due. */
    RESUMPTION(false, 1, 1) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            applications.beans(Resumer.class).get(place).resumeAll();
            return true;
        }
    },

    /** The thread of a caller is interrupted. */
    INTERRUPTION(false, 1, 1) {
        @Override
        boolean perform(Applications applications, int place, Intent intent, List<Actor> callers) {
            // A statement, so that the scheduler decides when.
            applications.beans(JdbcTemplate.class).get(place).execute("select 1");
            callers.get(1).thread().interrupt();
            return true;
        }
    };

    private static final Reason REASON = new Reason("ada", "the provider was asked");

    private static final Receipt ANSWER = new Receipt(UUID.fromString("00000000-0000-0000-0000-000000000001"), 5);

    private static final String ANSWER_AS_JSON = "{\"id\":\"%s\",\"cents\":5}".formatted(ANSWER.id());

    /** As if the time of a lease were over. Waits for nobody, because others wait for the end of the lease. */
    static final String EXPIRE_LEASE = """
            with due as (
                update idempotency.outbox_event
                set next_attempt_at = statement_timestamp()
                where message_id = any (array(
                    select message_id
                    from idempotency.outbox_event
                    where idempotency_key = ? and status = 'pending'
                    for update skip locked)))
            update idempotency.idempotency_request
            set locked_until = statement_timestamp() - interval '1 second'
            where request_id = any (array(
                select request_id
                from idempotency.idempotency_request
                where idempotency_key = ? and status = 'processing' and locked_until > statement_timestamp()
                for update skip locked))""";

    /** As if the row were older than its retention. */
    private static final String AGE = """
            update idempotency.idempotency_request
            set claimed_at = claimed_at - interval '8 days', expires_at = expires_at - interval '8 days'
            where idempotency_key = ?
            returning status""";

    private static final String AGE_RESPONSE = """
            update idempotency.idempotency_request
            set claimed_at = claimed_at - interval '8 days', response_expires_at = response_expires_at - interval '8 days'
            where idempotency_key = ? and status = 'processing'""";

    private final boolean endsLease;

    private final int fewestEffects;

    private final int mostEffects;

    Intervention(boolean endsLease, int fewestEffects, int mostEffects) {
        this.endsLease = endsLease;
        this.fewestEffects = fewestEffects;
        this.mostEffects = mostEffects;
    }

    /**
     * Acts in an application, on the thread of an actor.
     *
     * @return whether the key may have another number of effects now
     */
    abstract boolean perform(Applications applications, int place, Intent intent, List<Actor> callers);

    /** Returns whether a caller that runs has lost its lease by it. */
    boolean endsLease() {
        return endsLease;
    }

    int fewestEffects() {
        return fewestEffects;
    }

    int mostEffects() {
        return mostEffects;
    }

    /** Returns an answer without an effect; {@code null} if there is none. */
    Receipt answer() {
        return null;
    }

    private static IdempotencyAdministration administration(Applications applications, int place) {
        return applications.beans(IdempotencyAdministration.class).get(place);
    }

    private static boolean isAccepted(Runnable change) {
        try {
            change.run();
            return true;
        } catch (InterventionRefusedException refused) {
            return false;
        }
    }
}
