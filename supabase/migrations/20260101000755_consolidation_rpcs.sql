-- Consolidation as called from outside: by a worker with a language model, and by an owner who wants the
-- originals back.

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
