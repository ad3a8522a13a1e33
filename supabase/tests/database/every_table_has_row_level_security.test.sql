-- A table that anyone forgot to protect fails here, whatever it is called.
begin;
select plan(6);

create temporary view our_tables as
select c.oid, c.oid::regclass::text as name
from pg_class c
where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace) and c.relkind in ('r', 'p')
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');

select isnt_empty('select name from our_tables', 'there are tables to look at');

select is_empty(
  'select t.name from our_tables t join pg_class c using (oid) where not c.relrowsecurity',
  'row level security is on for every table');

select is_empty(
  $$ select p.polname, t.name from our_tables t join pg_policy p on p.polrelid = t.oid
     where p.polroles <> array['authenticated'::regrole::oid] $$,
  'every policy is for authenticated and nobody else');

select is_empty(
  $$ select t.name, p.polname from our_tables t join pg_policy p on p.polrelid = t.oid where p.polcmd = '*' or not p.polpermissive $$,
  'every policy is permissive and for one command');

select is_empty(
  $$ select t.name, p.polname, expression
     from our_tables t join pg_policy p on p.polrelid = t.oid,
          unnest(array[pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)]) expression
     where expression not in ('(( SELECT auth.uid() AS uid) = owner_id)', 'false') $$,
  'every policy compares the owner with the caller, found once a statement, or lets nobody pass');

select is_empty(
  $$ select t.name from our_tables t
     join pg_attribute a on a.attrelid = t.oid and a.attname = 'owner_id' and not a.attisdropped
     where not exists (select from pg_index i where i.indrelid = t.oid and i.indkey[0] = a.attnum and i.indpred is null) $$,
  'every table with an owner has a complete index that leads with it');

select * from finish();
rollback;
