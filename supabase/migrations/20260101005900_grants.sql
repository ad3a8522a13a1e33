-- Who may call what: the whole list, in one place. A hosted project grants execute on new functions to
-- anon and authenticated by default, so everything is taken away by name first.

do $$
declare
  callable constant text[] := array[
    'capture_thought',
    'capture_thoughts',
    'search_thoughts',
    'explain_search',
    'recall',
    'get_thoughts',
    'list_thoughts',
    'thought_stats',
    'remember',
    'mark_used',
    'update_thought',
    'pin',
    'link_memories',
    'supersede',
    'review_queue',
    'resolve_review',
    'forget',
    'restore',
    'what_do_i_know',
    'why_did_we',
    'memory_stats',
    'checkpoint',
    'wake',
    'undo_consolidation',
    'job_status',
    'prepare_capture',
    'store_capture',
    'record_model_calls',
    'requeue_enrichment',
    'failed_enrichment',
    'forgotten_among'
  ];
  -- What the public functions call: these run as their owner and are scoped by auth.uid().
  core constant text[] := array[
    'capture',
    'capture_many',
    'search',
    'explain',
    'recall',
    'get',
    'list',
    'stats',
    'read_filters',
    'without_nulls',
    'refuse',
    'unquoted',
    'insert_thought',
    -- A CHECK of memories, evaluated as whoever writes the row.
    'longest',
    -- An index of memories, likewise.
    'statement_key',
    'is_statement',
    'core_words',
    'core_text',
    'plain_words',
    'negations',
    'mark_used',
    'edit',
    'link_memories',
    'supersede_own',
    'review_queue',
    'resolve_review',
    'forget',
    'restore',
    'what_do_i_know',
    'why_did_we',
    'memory_stats',
    'checkpoint',
    'wake',
    'undo_consolidation',
    'own_job_status',
    'prepare',
    'store',
    'record_own_calls',
    'requeue',
    'failed',
    'costs'
  ];
  -- What acts for any owner: public functions and their core, for the service role alone.
  service_callable constant text[] := array[
    'consolidation_candidates',
    'apply_consolidation',
    'claim_enrichment',
    'complete_enrichment',
    'fail_enrichment',
    'brain_health',
    'record_worker_calls'
  ];
  service_core constant text[] := array[
    'claim_consolidation',
    'consolidation_candidates',
    'apply_consolidation',
    'apply_consolidation_for',
    'claim',
    'complete',
    'postpone',
    'health',
    'record_calls'
  ];
  fn regprocedure;
begin
  for fn in
    select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname = any (callable || service_callable)
      or p.pronamespace = 'cortex'::regnamespace
  loop
    execute format('revoke all on function %s from public, anon, authenticated, service_role', fn);
  end loop;
  for fn in
    select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname = any (callable)
      or p.pronamespace = 'cortex'::regnamespace and p.proname = any (core)
  loop
    execute format('grant execute on function %s to authenticated, service_role', fn);
  end loop;
  for fn in
    select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname = any (service_callable)
      or p.pronamespace = 'cortex'::regnamespace and p.proname = any (service_core)
  loop
    execute format('grant execute on function %s to service_role', fn);
  end loop;
end;
$$;

revoke all on public.thoughts from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.thoughts to authenticated, service_role;
revoke all on all tables in schema cortex from public, anon, authenticated, service_role;

notify pgrst, 'reload schema';
