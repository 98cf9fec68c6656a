create table account (
    account_id text primary key
);

-- What happened to each account; its balance is the sum. Whoever appends has locked the account, and the key of account and
-- version stands behind that lock: of two events that follow the same one, only one can be.
create table account_event (
    event_id      uuid        primary key default gen_random_uuid(),
    sequence      bigint      not null unique generated always as identity,
    account_id    text        not null references account,
    version       bigint      not null check (version > 0),
    event_type    text        not null
        check (event_type in ('opened', 'deposited', 'withdrawn', 'paid', 'payout', 'payout-returned')),
    amount_cents  bigint      not null,
    balance_cents bigint      not null check (balance_cents >= 0),
    payment_id    uuid        unique,
    occurred_at   timestamptz not null default clock_timestamp(),
    unique (account_id, version)
);

-- Which command made an event. What opens the first accounts, below, is no command.
create table audit_entry (
    event_id          uuid        primary key references account_event,
    idempotency_scope text        not null,
    caller            text        not null,
    idempotency_key   text        not null,
    recorded_at       timestamptz not null default clock_timestamp()
);

create table payment (
    payment_id   uuid        primary key default gen_random_uuid(),
    account_id   text        not null references account,
    amount_cents bigint      not null check (amount_cents > 0),
    currency     text        not null,
    reference    text        not null,
    status       text        not null,
    created_at   timestamptz not null default clock_timestamp()
);

create index payment_account_id_created_at on payment (account_id, created_at);

insert into account (account_id) values ('alice'), ('bob');

insert into account_event (account_id, version, event_type, amount_cents, balance_cents)
values ('alice', 1, 'opened', 1000000, 1000000), ('bob', 1, 'opened', 1000000, 1000000);
