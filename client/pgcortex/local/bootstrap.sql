-- What a Supabase project has before its first migration, for a plain Postgres 17 or 18. Run as the database's owner
-- (a superuser), in one transaction, before the migrations. Repeating it changes nothing.

-- A real Supabase owns its schema auth: refuse, rather than replace its functions.
do $$
begin
  if to_regnamespace('auth') is not null
     and obj_description(to_regnamespace('auth'), 'pg_namespace') is distinct from 'pgcortex: stands in for Supabase Auth'
  then
    raise exception 'this database has a schema "auth" that pgcortex did not create'
      using errcode = 'duplicate_schema', hint = 'A Supabase project needs no bootstrap: apply the migrations only.';
  end if;
end
$$;

-- Roles belong to the whole server, so another database may have made them, even at this moment.
do $$
begin
  perform pg_advisory_xact_lock(hashtext('pgcortex bootstrap roles'));
  if to_regrole('anon') is null then
    create role anon nologin noinherit;
    alter role anon set statement_timeout = '3s';
  end if;
  if to_regrole('authenticated') is null then
    create role authenticated nologin noinherit;
    alter role authenticated set statement_timeout = '8s';
  end if;
  if to_regrole('service_role') is null then
    create role service_role nologin noinherit bypassrls;
  end if;
  if to_regrole('authenticator') is null then
    create role authenticator login noinherit;
    alter role authenticator set statement_timeout = '8s';
    grant anon, authenticated, service_role to authenticator;
  end if;
end
$$;

-- The schema public as hosted projects have had it for years: everything granted to everyone. The migrations revoke what
-- they mean to; on a grant-nothing project the same migrations grant what they mean to.
grant usage on schema public to anon, authenticated, service_role;
alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges in schema public grant all on routines to anon, authenticated, service_role;

create schema if not exists extensions;
grant usage on schema extensions to anon, authenticated, service_role;

create schema if not exists auth;
comment on schema auth is 'pgcortex: stands in for Supabase Auth';
grant usage on schema auth to anon, authenticated, service_role;

create table if not exists auth.users (
  id uuid primary key,
  email text unique,
  created_at timestamptz not null default now()
);
comment on table auth.users is 'The accounts; Supabase Auth keeps many more columns here.';

-- PostgREST sets request.jwt.claims, one JSON document. Before version 9 it set request.jwt.claim.<name>, one setting a
-- claim; Supabase still reads those first.
create or replace function auth.uid() returns uuid
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;
comment on function auth.uid() is 'The user the request''s token names; null without a token.';

create or replace function auth.role() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;
comment on function auth.role() is 'The role the request''s token names; null without a token.';

create or replace function auth.jwt() returns jsonb
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;
comment on function auth.jwt() is 'All claims of the request''s token; null without a token.';

-- Extensions live in their own schema there, and unqualified names still find them.
do $$
begin
  execute format('alter database %I set search_path = "$user", public, extensions', current_database());
end
$$;
