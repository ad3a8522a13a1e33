-- What a hosted Supabase project has beyond the local stand-in (bootstrap.sql, run before this): an owner without
-- superuser rights, and extensions that only the platform can install. Run by supabase_admin in one database.

do $$
begin
  if to_regrole('postgres') is null then
    create role postgres login createdb createrole replication bypassrls;
    grant anon, authenticated, service_role, authenticator to postgres with admin option;
  end if;
end
$$;

grant pg_monitor, pg_read_all_data, pg_signal_backend to postgres;
do $$
begin
  execute format('alter database %I owner to postgres', current_database());
end
$$;

alter schema extensions owner to postgres;
grant usage on schema auth to postgres;
grant all on all tables in schema auth to postgres;

-- The migrations run as postgres, so it is what postgres makes that is granted to everyone.
alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on routines to anon, authenticated, service_role;

create extension if not exists plpgsql_check with schema extensions;
