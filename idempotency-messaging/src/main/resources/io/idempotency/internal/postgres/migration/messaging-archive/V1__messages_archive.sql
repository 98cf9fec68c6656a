-- Expired messages, where the purge is to keep them. The migrations of the messages come before.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- A column of a table is a column of its archive too. A later migration has to add it with IF NOT EXISTS, because an
-- archive that is created later has it from here.
CREATE TABLE "${schema}".processed_message_archive (
    LIKE "${schema}".processed_message, archived_at timestamptz NOT NULL);

-- Partitions have it, or a table that is prepared for them.
ALTER TABLE "${schema}".processed_message_archive DROP COLUMN IF EXISTS stored_at;

CREATE TABLE "${schema}".message_failure_archive (
    LIKE "${schema}".message_failure, archived_at timestamptz NOT NULL);

CREATE TABLE "${schema}".outbox_event_archive (
    LIKE "${schema}".outbox_event, archived_at timestamptz NOT NULL);
