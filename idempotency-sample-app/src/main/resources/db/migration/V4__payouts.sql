-- A row is written in the transaction that takes the money from the account; what became of it is decided once.
create table payout (
    payout_id    uuid        primary key,
    account_id   text        not null references account,
    amount_cents bigint      not null check (amount_cents > 0),
    status       text        not null default 'PENDING' check (status in ('PENDING', 'PAID', 'REFUSED')),
    transfer_id  uuid        check ((transfer_id is not null) = (status = 'PAID')),
    refusal      text        check ((refusal is not null) = (status = 'REFUSED')),
    created_at   timestamptz not null default clock_timestamp()
);

-- For operators: money that has left an account and has not arrived.
create index payout_pending on payout (created_at) where status = 'PENDING';

-- The pretend provider's own. A refusal is kept as well: with one key it has one answer, for ever.
create table provider_transfer (
    idempotency_key text        primary key,
    account         text        not null,
    amount_cents    bigint      not null,
    transfer_id     uuid        unique,
    refusal         text,
    created_at      timestamptz not null default clock_timestamp(),
    check ((transfer_id is null) <> (refusal is null))
);
