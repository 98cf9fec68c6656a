create table account (
    account_id    text   primary key,
    balance_cents bigint not null check (balance_cents >= 0)
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

insert into account (account_id, balance_cents) values ('alice', 1000000), ('bob', 1000000);
