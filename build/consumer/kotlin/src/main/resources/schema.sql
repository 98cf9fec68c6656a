create table if not exists purchase (item text, cents bigint);
