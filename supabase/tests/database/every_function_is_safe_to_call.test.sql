-- The conventions that keep a function from being redirected, from being ambiguous, and from running as its owner by accident.
begin;
select plan(5);

create temporary view our_functions as
select p.oid, p.oid::regprocedure::text as signature, p.pronamespace::regnamespace::text as schema, p.proname as name,
       p.prosecdef, p.proconfig, p.prokind, p.prorettype
from pg_proc p
where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace)
  and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

select isnt_empty('select signature from our_functions', 'there are functions to look at');

select is_empty(
  $$ select signature, proconfig from our_functions
     where prokind <> 'a' and not coalesce('search_path=""' = any (proconfig), false) $$,
  'every function has an empty search_path');

select is_empty(
  $$ select signature from our_functions where schema = 'public' and prosecdef $$,
  'no function in public runs as its owner');

select is_empty(
  $$ select name, count(*) from our_functions where schema = 'public' group by name having count(*) > 1 $$,
  'every public function has one signature');

select is_empty(
  $$ select f.signature from our_functions f
     where f.schema = 'public' and f.prorettype <> 'trigger'::regtype
       and exists (select from unnest((select proargnames from pg_proc where oid = f.oid)) argument where argument is null or argument = '') $$,
  'every argument of a public function has a name: the API calls by name');

select * from finish();
rollback;
