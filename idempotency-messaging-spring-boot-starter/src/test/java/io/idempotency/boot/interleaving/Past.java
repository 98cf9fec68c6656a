package io.idempotency.boot.interleaving;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The row that a key has before the run. */
enum Past {
    /** It was never used. */
    NONE {
        @Override
        void bringAbout(String key, ScopedCalls<?> calls, Applications applications) {}
    },

    ANSWERED {
        @Override
        void bringAbout(String key, ScopedCalls<?> calls, Applications applications) {
            calls.call(applications, 0, key);
        }
    },

    FAILED {
        @Override
        void bringAbout(String key, ScopedCalls<?> calls, Applications applications) {
            ANSWERED.bringAbout(key, calls, applications);
            JdbcTemplate jdbc = applications.database().jdbc();
            jdbc.update("delete from purchase where key = ?", key);
            jdbc.update("""
                    update idempotency.idempotency_request
                    set status = 'failed_retryable', response_body = null, failure_code = 'failed', failure_message = ''
                    where idempotency_key = ?""", key);
        }
    },

    /** The process of its only attempt has ended, and then its lease. */
    UNFINISHED {
        @Override
        void bringAbout(String key, ScopedCalls<?> calls, Applications applications) {
            applications.beans(BriefShop.class).get(0).refuseNext(key);
            assertThatThrownBy(() -> calls.call(applications, 0, key)).isInstanceOf(IllegalStateException.class);
            applications.database().jdbc().update("""
                    update idempotency.idempotency_request
                    set status = 'processing', failure_code = null, failure_message = null,
                        locked_until = statement_timestamp() - interval '1 second'
                    where idempotency_key = ?""", key);
            applications.database().jdbc().update("""
                    update idempotency.outbox_event
                    set status = 'pending', next_attempt_at = statement_timestamp(), sent_at = null, expires_at = null
                    where idempotency_key = ?""", key);
        }
    },

    /** The same, and the next attempt in the first application will fail. */
    UNFINISHED_AND_FAILING {
        @Override
        void bringAbout(String key, ScopedCalls<?> calls, Applications applications) {
            UNFINISHED.bringAbout(key, calls, applications);
            applications.beans(BriefShop.class).get(0).refuseNext(key);
        }
    };

    abstract void bringAbout(String key, ScopedCalls<?> calls, Applications applications);
}
