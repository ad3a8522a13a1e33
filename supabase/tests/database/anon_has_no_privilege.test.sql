-- Whoever is not signed in can do nothing with anything of ours, though Supabase grants new objects to anon by default.
begin;
select plan(5);

create temporary view ours as
select c.oid, c.oid::regclass::text as name, c.relkind
from pg_class c
where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace) and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');

select is_empty(
  $$ select name, privilege
     from ours, unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) privilege
     where relkind <> 'S' and has_table_privilege('anon', oid, privilege) $$,
  'anon has no privilege on any table or view');

select is_empty(
  $$ select name, privilege
     from ours, unnest(array['select', 'insert', 'update', 'references']) privilege
     where relkind <> 'S' and has_any_column_privilege('anon', oid, privilege) $$,
  'anon has no privilege on any column');

select is_empty(
  $$ select name, privilege from ours, unnest(array['usage', 'select', 'update']) privilege
     where relkind = 'S' and has_sequence_privilege('anon', oid, privilege) $$,
  'anon has no privilege on any sequence');

select is_empty(
  $$ select p.oid::regprocedure from pg_proc p
     where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace) and has_function_privilege('anon', p.oid, 'execute')
       and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e') $$,
  'anon may execute no function');

select ok(not has_schema_privilege('anon', 'cortex', 'usage, create'), 'anon may not enter the schema cortex');

select * from finish();
rollback;
