-- Who may do what, in full. An object that is not listed may be used by nobody but the owner of the database: a new
-- grant fails here until it is written down.
begin;
select plan(4);

-- The functions that any API role may execute. Those in cortex run as their owner, scoped by auth.uid(); the public
-- ones only call them.
prepare listed_functions as
select * from (values
  ('cortex.apply_consolidation', '{service_role}'),
  ('cortex.apply_consolidation_for', '{service_role}'),
  ('cortex.capture', '{authenticated,service_role}'),
  ('cortex.capture_many', '{authenticated,service_role}'),
  ('cortex.checkpoint', '{authenticated,service_role}'),
  ('cortex.claim', '{service_role}'),
  ('cortex.claim_consolidation', '{service_role}'),
  ('cortex.complete', '{service_role}'),
  ('cortex.consolidation_candidates', '{service_role}'),
  ('cortex.core_text', '{authenticated,service_role}'),
  ('cortex.core_words', '{authenticated,service_role}'),
  ('cortex.costs', '{authenticated,service_role}'),
  ('cortex.edit', '{authenticated,service_role}'),
  ('cortex.explain', '{authenticated,service_role}'),
  ('cortex.failed', '{authenticated,service_role}'),
  ('cortex.forget', '{authenticated,service_role}'),
  ('cortex.get', '{authenticated,service_role}'),
  ('cortex.health', '{service_role}'),
  ('cortex.insert_thought', '{authenticated,service_role}'),
  ('cortex.is_statement', '{authenticated,service_role}'),
  ('cortex.link_memories', '{authenticated,service_role}'),
  ('cortex.list', '{authenticated,service_role}'),
  ('cortex.longest', '{authenticated,service_role}'),
  ('cortex.mark_used', '{authenticated,service_role}'),
  ('cortex.memory_stats', '{authenticated,service_role}'),
  ('cortex.negations', '{authenticated,service_role}'),
  ('cortex.own_job_status', '{authenticated,service_role}'),
  ('cortex.plain_words', '{authenticated,service_role}'),
  ('cortex.postpone', '{service_role}'),
  ('cortex.prepare', '{authenticated,service_role}'),
  ('cortex.read_filters', '{authenticated,service_role}'),
  ('cortex.recall', '{authenticated,service_role}'),
  ('cortex.record_calls', '{service_role}'),
  ('cortex.record_own_calls', '{authenticated,service_role}'),
  ('cortex.refuse', '{authenticated,service_role}'),
  ('cortex.requeue', '{authenticated,service_role}'),
  ('cortex.resolve_review', '{authenticated,service_role}'),
  ('cortex.restore', '{authenticated,service_role}'),
  ('cortex.review_queue', '{authenticated,service_role}'),
  ('cortex.search', '{authenticated,service_role}'),
  ('cortex.statement_key', '{authenticated,service_role}'),
  ('cortex.stats', '{authenticated,service_role}'),
  ('cortex.store', '{authenticated,service_role}'),
  ('cortex.supersede_own', '{authenticated,service_role}'),
  ('cortex.undo_consolidation', '{authenticated,service_role}'),
  ('cortex.unquoted', '{authenticated,service_role}'),
  ('cortex.wake', '{authenticated,service_role}'),
  ('cortex.what_do_i_know', '{authenticated,service_role}'),
  ('cortex.why_did_we', '{authenticated,service_role}'),
  ('cortex.without_nulls', '{authenticated,service_role}'),
  ('public.apply_consolidation', '{service_role}'),
  ('public.brain_health', '{service_role}'),
  ('public.capture_thought', '{authenticated,service_role}'),
  ('public.capture_thoughts', '{authenticated,service_role}'),
  ('public.checkpoint', '{authenticated,service_role}'),
  ('public.claim_enrichment', '{service_role}'),
  ('public.complete_enrichment', '{service_role}'),
  ('public.consolidation_candidates', '{service_role}'),
  ('public.explain_search', '{authenticated,service_role}'),
  ('public.fail_enrichment', '{service_role}'),
  ('public.failed_enrichment', '{authenticated,service_role}'),
  ('public.forget', '{authenticated,service_role}'),
  ('public.forgotten_among', '{authenticated,service_role}'),
  ('public.get_thoughts', '{authenticated,service_role}'),
  ('public.job_status', '{authenticated,service_role}'),
  ('public.link_memories', '{authenticated,service_role}'),
  ('public.list_thoughts', '{authenticated,service_role}'),
  ('public.mark_used', '{authenticated,service_role}'),
  ('public.memory_stats', '{authenticated,service_role}'),
  ('public.pin', '{authenticated,service_role}'),
  ('public.prepare_capture', '{authenticated,service_role}'),
  ('public.recall', '{authenticated,service_role}'),
  ('public.record_model_calls', '{authenticated,service_role}'),
  ('public.record_worker_calls', '{service_role}'),
  ('public.remember', '{authenticated,service_role}'),
  ('public.requeue_enrichment', '{authenticated,service_role}'),
  ('public.resolve_review', '{authenticated,service_role}'),
  ('public.restore', '{authenticated,service_role}'),
  ('public.review_queue', '{authenticated,service_role}'),
  ('public.search_thoughts', '{authenticated,service_role}'),
  ('public.store_capture', '{authenticated,service_role}'),
  ('public.supersede', '{authenticated,service_role}'),
  ('public.thought_stats', '{authenticated,service_role}'),
  ('public.undo_consolidation', '{authenticated,service_role}'),
  ('public.update_thought', '{authenticated,service_role}'),
  ('public.wake', '{authenticated,service_role}'),
  ('public.what_do_i_know', '{authenticated,service_role}'),
  ('public.why_did_we', '{authenticated,service_role}')
) listed (function, roles);

prepare granted_functions as
select p.pronamespace::regnamespace || '.' || p.proname,
       array(select role from unnest(array['anon', 'authenticated', 'service_role']) role
             where has_function_privilege(role, p.oid, 'execute'))::text
from pg_proc p
where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace)
  and (has_function_privilege('anon', p.oid, 'execute') or has_function_privilege('authenticated', p.oid, 'execute')
       or has_function_privilege('service_role', p.oid, 'execute'))
  and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e');

select bag_eq('granted_functions', 'listed_functions', 'functions are granted as listed');

prepare listed_relations as
select * from (values
  ('memories', 'authenticated', '{delete,insert,select,update}'),
  ('memories', 'service_role', '{delete,insert,select,update}'),
  ('memory_links', 'authenticated', '{delete,insert,select,update}'),
  ('memory_links', 'service_role', '{delete,insert,select,update}'),
  ('memory_activation', 'authenticated', '{select}'),
  ('memory_activation', 'service_role', '{select}'),
  ('memory_events', 'authenticated', '{select}'),
  ('memory_events', 'service_role', '{select}'),
  ('model_calls', 'authenticated', '{select}'),
  ('model_calls', 'service_role', '{select}'),
  ('thoughts', 'authenticated', '{delete,insert,select,update}'),
  ('thoughts', 'service_role', '{delete,insert,select,update}')
) listed (relation, role, privileges);

prepare granted_relations as
select c.oid::regclass::text, role,
       array(select privilege
             from unnest(array['delete', 'insert', 'maintain', 'references', 'select', 'trigger', 'truncate', 'update']) privilege
             where has_table_privilege(role, c.oid, privilege))::text
from pg_class c, unnest(array['anon', 'authenticated', 'service_role']) role
where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace) and c.relkind in ('r', 'p', 'v', 'm', 'f')
  and has_table_privilege(role, c.oid, 'delete, insert, maintain, references, select, trigger, truncate, update')
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e');

select bag_eq('granted_relations', 'listed_relations', 'tables and views are granted as listed');

select is_empty(
  $$ select c.oid::regclass, role from pg_class c, unnest(array['authenticated', 'service_role']) role
     where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace) and c.relkind = 'S'
       and has_sequence_privilege(role, c.oid, 'usage, select, update') $$,
  'no sequence is granted: identities need none');

select is_empty(
  $$ select role, privilege
     from unnest(array['anon', 'authenticated', 'service_role']) role, unnest(array['create']) privilege
     where has_schema_privilege(role, 'public', privilege) or has_schema_privilege(role, 'cortex', privilege) $$,
  'no API role may create anything');

select * from finish();
rollback;
