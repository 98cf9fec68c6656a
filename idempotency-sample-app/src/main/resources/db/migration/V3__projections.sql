-- Which generation of a projection answers, and which one is being built from the start. No number is used again: what is
-- left of a generation that was never finished belongs to nobody.
create table projection (
    name     text primary key,
    serving  int  not null,
    building int  check (building > serving)
);

create table account_balance (
    generation    int         not null,
    account_id    text        not null references account,
    version       bigint      not null,
    balance_cents bigint      not null,
    applied_at    timestamptz not null default clock_timestamp(),
    primary key (generation, account_id)
);

create table daily_totals (
    generation      int         not null,
    account_id      text        not null references account,
    day             date        not null,
    events          bigint      not null,
    deposits        bigint      not null,
    deposited_cents bigint      not null,
    withdrawals     bigint      not null,
    withdrawn_cents bigint      not null,
    payments        bigint      not null,
    paid_cents      bigint      not null,
    applied_at      timestamptz not null default clock_timestamp(),
    primary key (generation, account_id, day)
);

insert into projection (name, serving) values ('account-balance', 1), ('daily-totals', 1);

-- The first accounts were opened without a message, so nobody else tells the first generation of them.
insert into account_balance (generation, account_id, version, balance_cents)
select 1, account_id, version, balance_cents from account_event;

insert into daily_totals (generation, account_id, day, events, deposits, deposited_cents, withdrawals, withdrawn_cents,
    payments, paid_cents)
select 1, account_id, (occurred_at at time zone 'UTC')::date, 1, 1, amount_cents, 0, 0, 0, 0 from account_event;
