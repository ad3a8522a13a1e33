-- Is everything locked that should be? Every row is a finding; a sound brain answers with none.
select c.oid::regclass::text as object, 'row level security is off' as finding
from pg_class c
where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace) and c.relkind in ('r', 'p') and not c.relrowsecurity
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
union all
select c.oid::regclass::text, 'anon may ' || privilege
from pg_class c, unnest(array['select', 'insert', 'update', 'delete']) privilege
where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace) and c.relkind in ('r', 'p', 'v')
  and has_table_privilege('anon', c.oid, privilege)
union all
select p.oid::regprocedure::text, 'anon may execute it'
from pg_proc p
where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace) and has_function_privilege('anon', p.oid, 'execute')
  and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
union all
select p.oid::regprocedure::text, 'runs as its owner without a fixed search_path'
from pg_proc p
where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace) and p.prosecdef
  and not coalesce('search_path=""' = any (p.proconfig), false)
union all
select p.polrelid::regclass::text, 'policy "' || p.polname || '" does not compare the owner'
from pg_policy p
join pg_class c on c.oid = p.polrelid
where c.relnamespace = 'public'::regnamespace
  and coalesce(pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) !~ 'auth\.uid\(\).*owner_id'
order by 2, 1;
