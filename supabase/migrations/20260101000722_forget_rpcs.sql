-- forget and restore, for the signed-in owner.

create function cortex.forget_softly(m public.memories, reason text, at timestamptz) returns void
language sql set search_path = ''
begin atomic
  update public.memories r
  set archived_at = coalesce(r.archived_at, at), archive_reason = 'forgotten'
  where r.owner_id = m.owner_id and r.id = m.id and r.archive_reason is distinct from 'forgotten';
  select cortex.log_event(m.owner_id, m.id, 'forget', at, reason);
  select cortex.make_current(m.owner_id, m.id) where m.valid_to is null;
end;
comment on function cortex.forget_softly(public.memories, text, timestamptz) is 'Archives a memory as forgotten: it leaves every read, and what it alone replaced is current again.';

create function cortex.forget(id uuid, hard boolean, reason text, at timestamptz) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  m public.memories;
  source public.memories;
  parts uuid[];
  summary_id uuid;
  summary jsonb;
  outcome jsonb;
  removed jsonb;
begin
  if hard and cortex.was_erased(owner, id) then
    return jsonb_build_object('id', id, 'status', 'erased', 'removed', '{}'::jsonb);
  end if;
  m := cortex.lock_memory(owner, id);
  if m.archive_reason = 'forgotten' and not hard then
    return jsonb_build_object('id', id, 'status', 'forgotten', 'removed', '{}'::jsonb);
  end if;
  -- A summary and its sources are one memory in two forms.
  parts := cortex.sources_of(owner, id);
  for source in
    select s.* from public.memories s where s.owner_id = owner and s.id = any (parts) order by s.id for no key update
  loop
    if hard then
      perform cortex.erase(source, reason, at);
    else
      perform cortex.forget_softly(source, reason, at);
    end if;
  end loop;
  foreach summary_id in array cortex.summaries_of(owner, id) loop
    outcome := cortex.withdraw_source(m, summary_id, hard, at);
    if summary is null then
      summary := outcome;
    elsif outcome is not null then
      summary := jsonb_set(summary, '{others}', coalesce(summary -> 'others', '[]') || jsonb_build_array(outcome));
    end if;
  end loop;
  if hard then
    removed := cortex.erase(m, reason, at);
  else
    perform cortex.forget_softly(m, reason, at);
    removed := '{}';
  end if;
  return jsonb_build_object(
    'id', id, 'status', case when hard then 'erased' else 'forgotten' end,
    'removed', removed || jsonb_strip_nulls(jsonb_build_object('sources', nullif(to_jsonb(parts), '[]'), 'summary', summary)));
end;
$$;
comment on function cortex.forget(uuid, boolean, text, timestamptz) is
  'Forgets one memory of the signed-in owner, with the sources it summarises, and out of the summary made from it.';

create function public.forget(id uuid, hard boolean default false, reason text default null, as_of timestamptz default null)
returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.forget(id, coalesce(hard, false), reason, coalesce(as_of, now()));
end;
comment on function public.forget is
  'Softly: the memory leaves every read, restore brings it back. hard: it is erased with its links, vector, audit content and whatever summary holds its words, for good. Returns {id, status: forgotten | erased, removed}; removed counts memories, vectors, links, events_emptied, and names reembed, sources, summary.';

create function cortex.restore(id uuid, at timestamptz) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  m public.memories := cortex.lock_memory(owner, id);
  other uuid;
begin
  if m.archived_at is null and m.valid_to is null then
    return jsonb_build_object('id', id, 'status', 'live');
  end if;
  select r.id into other from public.memories r
  where r.owner_id = owner and r.namespace = m.namespace and r.content_hash = m.content_hash
    and r.archived_at is null and r.valid_to is null and r.id <> m.id;
  if other is not null then
    perform cortex.refuse_as('409', 'id', format('the same words are live as %s', other), 'use that one, or forget it first');
  end if;
  delete from public.memory_links l where l.owner_id = owner and l.to_id = m.id and l.type = 'supersedes';
  update public.memories r
  set archived_at = null, archive_reason = null, valid_to = null, superseded_by = null,
      expires_at = case r.store when 'sensory' then at + cortex.setting('sensory_hours') * interval '1 hour' end
  where r.owner_id = owner and r.id = m.id;
  update public.memories s set archive_reason = 'consolidated'
  where s.owner_id = owner and s.id = any (cortex.sources_of(owner, m.id)) and s.archive_reason = 'forgotten';
  -- What it replaced when it was forgotten, it replaces again.
  perform cortex.supersede(owner, l.to_id, m.id, at)
  from public.memory_links l join public.memories o on o.owner_id = owner and o.id = l.to_id
  where m.archive_reason = 'forgotten' and m.valid_to is null
    and l.owner_id = owner and l.from_id = m.id and l.type = 'supersedes' and o.valid_to is null and o.archived_at is null;
  -- As strong as new: otherwise the next night would archive it again.
  update public.memory_activation a
  set strength = 1, last_accessed_at = greatest(a.last_accessed_at, at)
  where a.owner_id = owner and a.memory_id = m.id;
  return jsonb_build_object('id', id, 'status', 'restored', 'was', coalesce(m.archive_reason, 'superseded'));
end;
$$;
comment on function cortex.restore(uuid, timestamptz) is 'Brings an archived, forgotten or superseded memory of the signed-in owner back.';

create function public.restore(id uuid, as_of timestamptz default null) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.restore(id, coalesce(as_of, now()));
end;
comment on function public.restore is
  'Brings back a memory that was archived, softly forgotten or superseded; it is as strong as new. Returns {id, status: restored | live, was: the reason it was away}.';
