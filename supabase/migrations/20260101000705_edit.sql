-- Changing a memory that is there.

-- Strength is stored as of the last access and fades at one rate from there. Where the rate changes, the
-- past must keep the old one: an intention that was carried out starts to fade then, not from its capture.
-- Metadata that enrichment brings late describes the memory from its beginning, so it does not count; an edit
-- that sends the words back to enrichment does.
create function cortex.rebase_strength() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  old_rate constant double precision := cortex.decay_rate(old.valence, old.arousal, old.store, old.pinned);
begin
  if not (old.enrichment_status = 'pending' and new.enrichment_status = 'done')
     and old_rate <> cortex.decay_rate(new.valence, new.arousal, new.store, new.pinned) then
    update public.memory_activation a
    set strength = cortex.strength_at(a.strength, a.last_accessed_at, old_rate, now()),
        last_accessed_at = greatest(a.last_accessed_at, now())
    where a.owner_id = new.owner_id and a.memory_id = new.id;
  end if;
  return null;
end;
$$;
comment on function cortex.rebase_strength() is 'Starts the new rate of decay at the moment of the change.';

create trigger rebase_strength after update of store, pinned, valence, arousal on public.memories
  for each row execute function cortex.rebase_strength();

create function cortex.apply_changes(memory public.memories, changes jsonb, cleared text[]) returns public.memories
language plpgsql stable set search_path = ''
as $$
declare
  -- What makes a memory a checkpoint, a summary or a task that was done is not the caller's to lose.
  kept constant jsonb := coalesce((
    select jsonb_object_agg(k.key, k.value) from jsonb_each(memory.metadata) k
    where k.key = 'done_at'
      or k.key in ('kind', 'state', 'sources') and memory.metadata ->> 'kind' in ('checkpoint', 'consolidation')), '{}');
  wrong text;
begin
  select c into wrong from unnest(cleared) c where c <> all ('{title,session_id,due_at,extractor}') limit 1;
  if wrong is not null then
    perform cortex.refuse('clear', format('%s cannot be empty', wrong), 'title, session_id, due_at and extractor can');
  end if;
  if changes ->> 'content' !~ '\S' then
    perform cortex.refuse('content', 'is blank', 'send the words to remember, or forget the memory');
  end if;
  memory := jsonb_populate_record(memory, changes || coalesce(
    (select jsonb_object_agg(c, null::text) from unnest(cleared) c), '{}'));
  memory.metadata := cortex.unquoted(memory.metadata) || kept;
  -- What somebody set by hand, enrichment leaves alone.
  memory.given := memory.given || array(
    select k from jsonb_object_keys(changes) k
    where k = any ('{title,thought_type,topics,people,actions,store,category,confidence,valence,arousal,due_at}')
      and k <> all (memory.given));
  return memory;
end;
$$;
comment on function cortex.apply_changes(public.memories, jsonb, text[]) is
  'A memory with some columns changed and some emptied; not yet stored.';

-- An intention that was carried out is an event: it leaves the due list and fades like one.
create function cortex.mark_done(memory public.memories, done boolean, at timestamptz) returns public.memories
language plpgsql immutable set search_path = ''
as $$
begin
  if done then
    memory.metadata := memory.metadata || jsonb_build_object('done_at', at);
    memory.store := case memory.store when 'prospective' then 'episodic' else memory.store end;
  elsif not done then
    memory.metadata := memory.metadata - 'done_at';
    memory.store := case when memory.due_at is not null then 'prospective' else memory.store end;
  end if;
  return memory;
end;
$$;
comment on function cortex.mark_done(public.memories, boolean, timestamptz) is
  'A task as done (metadata.done_at) or open again; not yet stored. A null changes nothing.';

create function cortex.store_changes(n public.memories) returns public.memories
language plpgsql set search_path = ''
as $$
declare
  stored public.memories;
  violated text;
  other uuid;
begin
  update public.memories m
  set content = n.content, title = n.title, thought_type = n.thought_type, topics = n.topics, people = n.people,
      actions = n.actions, store = n.store, category = n.category, tags = n.tags, source = n.source,
      confidence = n.confidence, valence = n.valence, arousal = n.arousal, pinned = n.pinned, metadata = n.metadata,
      occurred_at = n.occurred_at, due_at = n.due_at, session_id = n.session_id, namespace = n.namespace,
      extractor = n.extractor, given = n.given, embedding = n.embedding, embedding_model = n.embedding_model,
      enrichment_status = n.enrichment_status
  where m.owner_id = n.owner_id and m.id = n.id
  returning m.* into stored;
  return stored;
exception
  when check_violation then
    get stacked diagnostics violated = constraint_name;
    perform cortex.refuse_violation(violated);
    return null;
  when unique_violation then
    select m.id into other from public.memories m
    where m.owner_id = n.owner_id and m.namespace = n.namespace and m.content_hash = cortex.content_hash(n.content)
      and m.archived_at is null and m.valid_to is null and m.id <> n.id;
    perform cortex.refuse_as('409', 'content', format('these words are already stored as %s', other),
      'forget one of the two, or supersede it with the other');
    return null;
end;
$$;
comment on function cortex.store_changes(public.memories) is 'Writes an edited memory; a broken rule is refused by its name.';

create function cortex.untie(memory public.memories) returns void
language sql set search_path = ''
begin atomic
  delete from public.memory_links l
  where l.owner_id = memory.owner_id and memory.id in (l.from_id, l.to_id)
    and l.type in ('related', 'contradicts') and l.reviewed_at is null
    and not exists (
      select from public.memory_events e
      where e.owner_id = l.owner_id and e.memory_id = l.from_id and e.action = 'link'
        and e.after ->> 'to_id' = l.to_id::text and e.after ->> 'type' = l.type);
end;
comment on function cortex.untie(public.memories) is
  'Takes away the ties that were made for a memory''s old words: likeness and suspicion, but not what somebody linked or settled.';

create function cortex.edit(
  id uuid, changes jsonb, embedding extensions.halfvec, done boolean, cleared text[], if_updated_at timestamptz, at timestamptz
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  was constant public.memories := cortex.lock_memory(cortex.current_owner(), id);
  n public.memories := cortex.mark_done(cortex.apply_changes(was, changes, cleared), done, at);
  changed boolean;
begin
  if was.updated_at <> if_updated_at then
    perform cortex.refuse_as('409', 'if_updated_at', format('it was changed at %s', was.updated_at),
      'read it again and apply the change to what is there now');
  end if;
  perform cortex.check_embedding(embedding);
  if embedding is not null then
    n.embedding := embedding;
    n.embedding_model := coalesce(changes ->> 'embedding_model', cortex.setting_text('embedding_model'));
    n.enrichment_status := case when n.extractor is null then 'pending' else 'done' end;
  else
    n.embedding_model := was.embedding_model;
  end if;
  changed := n is distinct from was;
  if changed then
    n := cortex.store_changes(n);
  end if;
  if n.content <> was.content then
    perform cortex.untie(n);
    perform cortex.associate(n);
  elsif changed and embedding is not null then
    perform cortex.link_related(n);
  end if;
  return jsonb_build_object(
    'id', n.id, 'status', case when changed then 'updated' else 'unchanged' end,
    'enrichment_status', n.enrichment_status, 'updated_at', n.updated_at);
end;
$$;
comment on function cortex.edit(uuid, jsonb, extensions.halfvec, boolean, text[], timestamptz, timestamptz) is
  'Changes one memory of the signed-in owner.';

create function public.update_thought(
  id uuid, content text default null, title text default null, thought_type text default null,
  topics text[] default null, people text[] default null, actions text[] default null, store text default null,
  category text default null, tags text[] default null, source text default null, confidence double precision default null,
  valence double precision default null, arousal double precision default null, pinned boolean default null, metadata jsonb default null,
  occurred_at timestamptz default null, due_at timestamptz default null, session_id text default null,
  namespace text default null, embedding extensions.halfvec default null, embedding_model text default null,
  extractor text default null, done boolean default null, clear text[] default null,
  if_updated_at timestamptz default null, as_of timestamptz default null
) returns jsonb
language sql set search_path = ''
as $$
  select cortex.edit(id, cortex.without_nulls(jsonb_build_object(
    'content', content, 'title', title, 'thought_type', thought_type, 'topics', topics, 'people', people,
    'actions', actions, 'store', store, 'category', category, 'tags', tags, 'source', source,
    'confidence', confidence, 'valence', valence, 'arousal', arousal, 'pinned', pinned,
    'occurred_at', occurred_at, 'due_at', due_at, 'session_id', session_id, 'namespace', namespace,
    'embedding_model', embedding_model, 'extractor', extractor))
    || case when metadata is null then '{}' else jsonb_build_object('metadata', cortex.unquoted(metadata)) end,
    embedding, done, clear, if_updated_at, coalesce(as_of, now()));
$$;
comment on function public.update_thought is
  'Changes what is given and leaves the rest; clear names columns to empty (title, session_id, due_at, extractor). New words without an embedding put the memory back in the queue. done marks a task done or open; if_updated_at refuses with 409 when somebody changed it since. Returns {id, status: updated | unchanged, enrichment_status, updated_at}.';

create function public.pin(id uuid, pinned boolean default true) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.edit(id, jsonb_build_object('pinned', coalesce(pinned, true)), null, null, null, null, now());
end;
comment on function public.pin is
  'Pins a memory, so that it neither fades nor is archived by a job, or lets it go again. Returns as update_thought.';
