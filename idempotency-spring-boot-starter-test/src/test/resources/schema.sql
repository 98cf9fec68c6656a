create table if not exists note (id bigint primary key generated always as identity, text text not null);
create table if not exists audit (id bigint primary key generated always as identity, text text not null);
create table if not exists triggering (id bigint primary key generated always as identity, text text not null);
create table if not exists triggered (id bigint primary key generated always as identity, text text not null);
create table if not exists counter (name text primary key, n bigint not null);
create table if not exists numbered (id bigint primary key, text text not null);
create table if not exists token (id uuid primary key, at timestamptz not null);
create table if not exists book (id bigint primary key, title text not null);
create sequence if not exists book_seq increment by 50;
create sequence if not exists points;
insert into counter values ('a', 1000), ('b', 0) on conflict do nothing;
insert into book values (-1, 'old') on conflict do nothing;
create extension if not exists dblink;
create or replace function add_outside() returns trigger language plpgsql as '
begin
    perform dblink_exec(
        format(''host=127.0.0.1 port=%s dbname=%I user=postgres'', current_setting(''port''), current_database()),
        ''insert into triggered (text) values (''''outside'''')'');
    return new;
end';
create or replace trigger adds_outside after insert on triggering for each row execute function add_outside();
create or replace view audit_view as select text from audit;
create or replace function add_audit(words text) returns void language sql as 'insert into audit (text) values (words)';
create table if not exists aggregate (id bigint primary key generated always as identity, n bigint not null);
create table if not exists mailed (id bigint primary key generated always as identity, text text not null);
create table if not exists once (id bigint primary key);
create table if not exists ticketed (id bigint primary key generated always as identity, text text not null);
create sequence if not exists tickets;
create table if not exists connected (id bigint primary key generated always as identity, backend int, port int);
