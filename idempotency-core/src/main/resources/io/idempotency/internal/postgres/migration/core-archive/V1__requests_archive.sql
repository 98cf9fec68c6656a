-- Expired idempotency keys, where the purge is to keep them. The migrations of the keys come before.
-- ${schema} is the schema of the library's tables, "idempotency" by default.

-- A column of a table is a column of its archive too. A later migration has to add it with IF NOT EXISTS, because an
-- archive that is created later has it from here.
CREATE TABLE "${schema}".idempotency_request_archive (
    LIKE "${schema}".idempotency_request, archived_at timestamptz NOT NULL);
