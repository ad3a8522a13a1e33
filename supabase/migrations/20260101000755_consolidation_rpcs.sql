-- Consolidation as called from outside: by a worker with a language model, and by an owner who wants the
-- originals back.

-- As before, and says whose budget is spent: a model that costs money is not asked for them.
create or replace function cortex.claim_consolidation(wanted int, minutes int, at timestamptz) returns setof jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  c cortex.cluster;
begin
  perform pg_advisory_xact_lock(hashtextextended('pgcortex job consolidation', 0));
  for c in select k.* from cortex.consolidation_candidates(at, wanted) k loop
    insert into cortex.consolidation_claims (owner_id, memory_id, claimed_until)
    select c.owner_id, i, at + make_interval(mins => minutes) from unnest(c.memory_ids) i
    on conflict (owner_id, memory_id) do update set claimed_until = excluded.claimed_until;
    return next jsonb_build_object(
      'owner_id', c.owner_id, 'namespace', c.namespace, 'memory_ids', to_jsonb(c.memory_ids), 'seen_at', c.seen_at,
      'budget_spent', cortex.budget_spent(c.owner_id),
      'memories', (select jsonb_agg(cortex.brief(m) order by m.occurred_at, m.created_at, m.id)
                   from public.memories m where m.owner_id = c.owner_id and m.id = any (c.memory_ids)));
  end loop;
end;
$$;
comment on function public.consolidation_candidates is
  'For the service role: clusters to summarise, each {owner_id, namespace, memory_ids, seen_at, budget_spent, memories}, claimed for claim_minutes. Answer with apply_consolidation.';

create function cortex.apply_consolidation_for(
  owner_id uuid, memory_ids uuid[], content text, title text, made_by text, seen_at timestamptz, at timestamptz
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  made constant uuid := cortex.apply_consolidation(owner_id, memory_ids, content, title, coalesce(made_by, 'extract/1'), seen_at, at);
begin
  return jsonb_build_object('id', made, 'status', case when made is null then 'stale' else 'consolidated' end);
end;
$$;
comment on function cortex.apply_consolidation_for(uuid, uuid[], text, text, text, timestamptz, timestamptz) is
  'Consolidates on behalf of an owner; for the service role.';

create function public.apply_consolidation(
  owner_id uuid, memory_ids uuid[], content text default null, title text default null, extractor text default null,
  seen_at timestamptz default null, as_of timestamptz default null
) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.apply_consolidation_for(owner_id, memory_ids, content, title, extractor, seen_at, coalesce(as_of, now()));
end;
comment on function public.apply_consolidation is
  'For the service role: writes one cluster of consolidation_candidates as one episodic memory. Without content an extractive summary is made; sentences whose numbers, dates or names the content lost are added to it. Returns {id, status: consolidated | stale}.';

create function cortex.undo_consolidation(id uuid, at timestamptz) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  summary constant public.memories := cortex.lock_memory(cortex.current_owner(), id);
begin
  if summary.metadata ->> 'kind' is distinct from 'consolidation' then
    perform cortex.refuse('id', 'is no consolidation', 'only a memory whose metadata.kind is consolidation can be undone');
  elsif summary.archive_reason = 'forgotten' then
    perform cortex.refuse_as('409', 'id', 'was forgotten, with its sources', 'restore it first');
  end if;
  return jsonb_build_object('id', id, 'status', 'undone', 'restored', to_jsonb(cortex.dissolve_consolidation(summary, at)));
end;
$$;
comment on function cortex.undo_consolidation(uuid, timestamptz) is 'Takes a consolidation of the signed-in owner back.';

create function public.undo_consolidation(id uuid, as_of timestamptz default null) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.undo_consolidation(id, coalesce(as_of, now()));
end;
comment on function public.undo_consolidation is
  'Removes a consolidation and brings its sources back, as episodic memories. Returns {id, status, restored}.';
