-- What was sent, byte for byte. Which events were handled is known to the library's inbox, and for a time only: an event
-- that is sent again after it has a second row here, and leaves things as they are.
create table incoming_webhook (
    incoming_webhook_id bigint      primary key generated always as identity,
    provider            text        not null,
    event_id            text        not null,
    event_type          text        not null,
    body                bytea       not null,
    received_at         timestamptz not null default clock_timestamp()
);

create index incoming_webhook_event on incoming_webhook (provider, event_id);

-- In both types what is listed later is never left for what is listed before it.
create type invoice_status as enum ('draft', 'open', 'uncollectible', 'paid', 'void');

create table customer_invoice (
    invoice_id text           primary key,
    status     invoice_status not null,
    updated_at timestamptz    not null default clock_timestamp()
);

create type communication_status as enum (
    'accepted', 'scheduled', 'queued', 'initiated', 'sending', 'receiving', 'ringing', 'in-progress', 'sent',
    'canceled', 'failed', 'undelivered', 'busy', 'no-answer', 'received', 'completed', 'partially_delivered', 'delivered',
    'read'
);

create table communication (
    sid        text                 primary key,
    status     communication_status not null,
    updated_at timestamptz          not null default clock_timestamp()
);

create table repository_issue (
    repository text        not null,
    number     bigint      not null,
    title      text        not null,
    state      text        not null,
    updated_at timestamptz not null,
    primary key (repository, number)
);

create table contact (
    contact_id text        primary key,
    full_name  text,
    deleted    boolean     not null,
    changed_at timestamptz not null
);

-- That a payment is settled may be known before the payment is, and for payments that are never known here: so it has a row
-- of its own, without a foreign key, and the payment is looked at together with it.
create table payment_settlement (
    payment_id uuid        primary key,
    settled_at timestamptz not null default clock_timestamp()
);
