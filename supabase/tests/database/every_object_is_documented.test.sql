-- A person at the SQL console reads what a thing is for with \d+, \df+ or in the dashboard.
begin;
select plan(4);

create temporary view not_ours as
select classid, objid from pg_depend where deptype = 'e';

select is_empty(
  $$ select c.oid::regclass from pg_class c
     where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace) and c.relkind in ('r', 'p', 'v', 'm', 'c')
       and ('pg_class'::regclass, c.oid) not in (select classid, objid from not_ours)
       and coalesce(obj_description(c.oid, 'pg_class'), obj_description(c.reltype, 'pg_type')) is null $$,
  'every table, view and composite type has a comment');

select is_empty(
  $$ select p.oid::regprocedure from pg_proc p
     where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace)
       and ('pg_proc'::regclass, p.oid) not in (select classid, objid from not_ours)
       and obj_description(p.oid, 'pg_proc') is null $$,
  'every function has a comment');

-- Names that say all there is to say; any other column of a table needs words.
create temporary table plain_names on commit drop as
select unnest(array[
  'id', 'owner_id', 'memory_id', 'from_id', 'to_id', 'title', 'thought_type', 'topics', 'people', 'actions', 'store',
  'name', 'job', 'category', 'tags', 'source', 'metadata', 'created_at', 'updated_at', 'at', 'action', 'reason', 'key', 'description'
]) as name;

select is_empty(
  $$ select c.oid::regclass, a.attname from pg_class c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace) and c.relkind in ('r', 'p')
       and ('pg_class'::regclass, c.oid) not in (select classid, objid from not_ours)
       and a.attname not in (select name from plain_names) and col_description(c.oid, a.attnum) is null $$,
  'every column whose name does not say it all has a comment');

select isnt(obj_description('cortex'::regnamespace, 'pg_namespace'), null, 'the schema cortex has a comment');

select * from finish();
rollback;
