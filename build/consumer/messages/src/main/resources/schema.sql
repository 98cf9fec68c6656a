create table if not exists turnover (cents bigint);
