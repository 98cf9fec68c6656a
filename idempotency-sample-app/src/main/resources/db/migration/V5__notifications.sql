-- Stands for an email that was sent.
create table sent_notification (
    payment_id uuid        primary key,
    account_id text        not null,
    text       text        not null,
    sent_at    timestamptz not null default clock_timestamp()
);
