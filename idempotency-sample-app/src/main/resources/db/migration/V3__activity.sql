create table account_activity (
    account_id text   primary key references account,
    payments   bigint not null,
    cents      bigint not null
);
