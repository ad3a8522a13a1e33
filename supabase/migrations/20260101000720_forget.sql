-- Forgetting. Softly: the memory leaves every read and can be restored. For good: nothing of it is left,
-- neither in what was made from it nor in the audit trail; only that it was erased is remembered, so that
-- no import brings it back. (Copies outside the database, its write-ahead log and backups have a life of
-- their own; see docs/secure.)

create function cortex.sources_of(owner uuid, summary_id uuid) returns uuid[]
language sql stable set search_path = ''
return array(
  select l.from_id from public.memory_links l
  join public.memories s on s.owner_id = l.owner_id and s.id = l.from_id
  join public.memories r on r.owner_id = l.owner_id and r.id = l.to_id
  where l.owner_id = owner and l.to_id = summary_id and l.type = 'part_of'
    and r.metadata ->> 'kind' = 'consolidation' and s.archive_reason in ('consolidated', 'forgotten')
  order by s.occurred_at, s.created_at, s.id);
comment on function cortex.sources_of(uuid, uuid) is 'The memories a consolidation was made from, oldest first; none for any other memory.';

create function cortex.summaries_of(owner uuid, source_id uuid) returns uuid[]
language sql stable set search_path = ''
return array(
  select l.to_id from public.memory_links l
  join public.memories r on r.owner_id = l.owner_id and r.id = l.to_id
  where l.owner_id = owner and l.from_id = source_id and l.type = 'part_of' and r.metadata ->> 'kind' = 'consolidation'
  order by r.archive_reason = 'forgotten' nulls first, r.created_at desc, r.id);
comment on function cortex.summaries_of(uuid, uuid) is
  'The consolidations that a memory became part of, live and newest first; several where it was restored and consolidated again.';

-- What nothing replaces any more is current again, unless its words were captured anew since.
create function cortex.make_current(owner uuid, replaced_by uuid) returns void
language plpgsql set search_path = ''
as $$
declare
  older public.memories;
begin
  for older in
    select * from public.memories m where m.owner_id = owner and m.superseded_by = replaced_by
    order by m.occurred_at desc, m.created_at desc, m.id for no key update
  loop
    update public.memories m set valid_to = null, superseded_by = null
    where m.owner_id = owner and m.id = older.id and not exists (
      select from public.memories r
      where r.owner_id = owner and r.namespace = older.namespace and r.content_hash = older.content_hash
        and r.archived_at is null and r.valid_to is null);
  end loop;
end;
$$;
comment on function cortex.make_current(uuid, uuid) is 'Takes back that a memory replaced others.';

create function cortex.close_chain(memory public.memories) returns void
language plpgsql set search_path = ''
as $$
begin
  if memory.superseded_by is null then
    perform cortex.make_current(memory.owner_id, memory.id);
    return;
  end if;
  insert into public.memory_links (owner_id, from_id, to_id, type)
  select l.owner_id, memory.superseded_by, l.to_id, 'supersedes' from public.memory_links l
  where l.owner_id = memory.owner_id and l.from_id = memory.id and l.type = 'supersedes' and l.to_id <> memory.superseded_by
  on conflict on constraint memory_links_pkey do nothing;
  update public.memories m set superseded_by = memory.superseded_by
  where m.owner_id = memory.owner_id and m.superseded_by = memory.id;
end;
$$;
comment on function cortex.close_chain(public.memories) is
  'Before a memory is erased: what it replaced is replaced by its own successor, or is current again where it has none.';

create function cortex.empty_events(owner uuid, concerned uuid) returns bigint
language sql set search_path = ''
begin atomic
  with emptied as (
    update public.memory_events e set before = null, after = null, reason = null
    where e.owner_id = owner and e.memory_id = concerned
      and (e.before is not null or e.after is not null or e.reason is not null)
    returning 1
  )
  select count(*) from emptied;
end;
comment on function cortex.empty_events(uuid, uuid) is
  'Takes words and values out of the audit trail of a memory; that something was done, by whom and when stays.';

-- A model may have read the previous turn together with this one, so the vector of whoever followed the
-- erased memory is made anew.
create function cortex.forget_context(memory public.memories) returns uuid[]
language sql set search_path = ''
begin atomic
  with neighbours as (
    select cortex.next_in_session(memory) as id
    union
    select l.from_id from public.memory_links l
    where l.owner_id = memory.owner_id and l.to_id = memory.id and l.type = 'follows'
  ),
  cleared as (
    update public.memories m
    set embedding = null, embedding_model = null, enrichment_status = 'pending', enrichment_attempts = 0,
        enrichment_next_at = null, enrichment_error = null
    from neighbours n
    where m.owner_id = memory.owner_id and m.id = n.id and m.embedding is not null
    returning m.id
  )
  select coalesce(array_agg(c.id order by c.id), '{}') from cleared c;
end;
comment on function cortex.forget_context(public.memories) is
  'Sends the memories said right after this one back to be embedded without it; answers which.';

create function cortex.erase(memory public.memories, event_reason text, at timestamptz) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  removed jsonb;
begin
  removed := jsonb_build_object(
    'memories', 1,
    'vectors', (memory.embedding is not null)::int,
    'links', (select count(*) from public.memory_links l
              where l.owner_id = memory.owner_id and memory.id in (l.from_id, l.to_id)),
    'reembed', to_jsonb(cortex.forget_context(memory)));
  perform cortex.close_chain(memory);
  delete from public.memories m where m.owner_id = memory.owner_id and m.id = memory.id;
  removed := removed || jsonb_build_object('events_emptied', cortex.empty_events(memory.owner_id, memory.id));
  perform cortex.log_event(memory.owner_id, memory.id, 'erase', at, event_reason);
  return removed;
end;
$$;
comment on function cortex.erase(public.memories, text, timestamptz) is
  'Deletes one memory with links, vector and audit content, and leaves a tombstone. Answers what was removed.';

create function cortex.was_reworded(owner uuid, summary_id uuid) returns boolean
language sql stable set search_path = ''
return exists (
  select from public.memory_events e
  where e.owner_id = owner and e.memory_id = summary_id and e.action = 'update' and e.before ? 'content'
    and not exists (
      select from public.memory_events made
      where made.owner_id = owner and made.memory_id = summary_id and made.action = 'consolidate' and made.id > e.id));
comment on function cortex.was_reworded(uuid, uuid) is 'Whether somebody changed the words of a summary since it was made.';

-- A summary must not keep what its source no longer says: it is made anew from the other sources; with
-- fewer than two of them there is nothing to summarise, and the one that is left stands for itself again.
create function cortex.withdraw_source(source public.memories, summary_id uuid, hard boolean, at timestamptz) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  summary public.memories;
  remaining uuid[];
begin
  select * into summary from public.memories m
  where m.owner_id = source.owner_id and m.id = summary_id for no key update;
  if summary.id is null or summary.archive_reason = 'forgotten' and not hard then
    return null;
  elsif summary.archive_reason = 'forgotten' then
    perform cortex.erase(summary, null, at);
    return jsonb_build_object('id', summary.id, 'action', 'erased');
  elsif not hard and cortex.was_reworded(summary.owner_id, summary.id) then
    -- What a person wrote outweighs a source put aside; it stays tied, to be found when it is erased.
    return jsonb_build_object('id', summary.id, 'action', 'kept');
  end if;
  remaining := array_remove(cortex.sources_of(source.owner_id, summary.id), source.id);
  if hard then
    perform cortex.empty_events(source.owner_id, summary.id);
  end if;
  delete from public.memory_links l
  where l.owner_id = source.owner_id and l.from_id = source.id and l.to_id = summary.id and l.type = 'part_of';
  if cardinality(remaining) >= 2 then
    begin
      perform cortex.rewrite_consolidation(summary, remaining, at);
    exception when sqlstate 'PT409' then
      -- Another summary of the remaining sources says just that already.
      perform cortex.erase(summary, null, at);
      return jsonb_build_object('id', summary.id, 'action', 'erased');
    end;
    if hard then
      perform cortex.empty_events(source.owner_id, summary.id);
    end if;
    return jsonb_build_object('id', summary.id, 'action', 'rewritten');
  end if;
  perform cortex.dissolve_consolidation(summary, at);
  return jsonb_build_object('id', summary.id, 'action', 'erased', 'restored', to_jsonb(remaining));
end;
$$;
comment on function cortex.withdraw_source(public.memories, uuid, boolean, timestamptz) is
  'Takes a source out of a summary made from it. Answers what became of the summary: {id, action: rewritten | erased | kept, restored}; null where nothing is to be done.';
