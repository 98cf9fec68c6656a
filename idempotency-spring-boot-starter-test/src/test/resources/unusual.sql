create table if not exists parted (id bigint generated always as identity, day date not null, text text not null)
    partition by range (day);
create table if not exists parted_now partition of parted for values from ('2000-01-01') to ('2999-01-01');
create table if not exists dropped (gone text, id bigint primary key generated always as identity, text text not null);
alter table dropped drop column if exists gone;
create table if not exists invoice (number text primary key, at timestamp(0) not null);
create sequence if not exists invoice_number;
