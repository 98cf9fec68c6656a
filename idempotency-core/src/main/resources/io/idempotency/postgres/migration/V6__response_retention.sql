-- Responses that go before their keys.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- Each step is skipped where a DBA has done it before, so that the index of a large table can be made without a lock.
ALTER TABLE "${schema}".idempotency_request ADD COLUMN IF NOT EXISTS response_expires_at timestamptz;

ALTER TABLE "${schema}".idempotency_request_archive ADD COLUMN IF NOT EXISTS response_expires_at timestamptz;

-- Set with the claim and not changed by its completion, which stays a HOT update. Nothing is in it without such responses.
CREATE INDEX IF NOT EXISTS idempotency_request_response_expires_at
    ON "${schema}".idempotency_request (response_expires_at)
    WHERE response_expires_at IS NOT NULL;

COMMENT ON COLUMN "${schema}".idempotency_request.response_expires_at IS
    'When the purge may clear response_body, the key being kept; null if the response goes with the key, or has gone';
