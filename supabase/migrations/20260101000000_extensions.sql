-- Extensions and the two schemas: `public` holds what clients may call, `cortex` what they may not.

create schema if not exists extensions;
create extension if not exists vector with schema extensions;
create extension if not exists btree_gin with schema extensions;

-- A project may have installed them elsewhere (often in `public`). Every function here names
-- `extensions.` so that no search_path can redirect it; both extensions are relocatable, and the
-- columns and indexes that use them follow by oid.
do $$
declare
  misplaced name;
begin
  for misplaced in
    select e.extname
    from pg_catalog.pg_extension e
    join pg_catalog.pg_namespace n on n.oid = e.extnamespace
    where e.extname in ('vector', 'btree_gin') and n.nspname <> 'extensions'
  loop
    execute format('alter extension %I set schema extensions', misplaced);
    raise notice 'moved extension % to schema extensions', misplaced;
  end loop;

  if (select string_to_array(e.extversion, '.')::int[] < array[0, 8, 0]
      from pg_catalog.pg_extension e where e.extname = 'vector') then
    raise exception 'pgvector 0.8 or later is needed for iterative index scans'
      using hint = 'run: alter extension vector update';
  end if;
end;
$$;

create schema if not exists cortex;
comment on schema cortex is
  'pgcortex: private functions, settings and jobs. Not exposed by the API; callers reach it through public functions.';
revoke all on schema cortex from public;
grant usage on schema cortex to authenticated, service_role;
