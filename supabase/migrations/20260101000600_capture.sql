-- Capture: one thought in, stored once, tied to its neighbours.

create function cortex.refuse_violation(violated text) returns void
language plpgsql set search_path = ''
as $$
begin
  -- The constraints of memories are named as sentences: content_not_blank, title_at_most_1000_characters.
  perform cortex.refuse(
    coalesce(substring(violated from '^(content|title|namespace|session_id|idempotency_key|thought_type|store|category|source|confidence|valence|arousal|metadata|embedding|occurred_at|created_at|due_at)_'), 'topics, people, actions, tags'),
    'violates the rule ' || replace(violated, '_', ' '), 'correct the value and send it again; nothing was stored');
end;
$$;
comment on function cortex.refuse_violation(text) is 'Turns a violated CHECK of memories into HTTP 400 with the field and the rule.';

create function cortex.without_nulls(fields jsonb) returns jsonb
language sql immutable set search_path = ''
return (select coalesce(jsonb_object_agg(f.key, f.value), '{}') from jsonb_each(fields) f where f.value <> 'null');
comment on function cortex.without_nulls(jsonb) is
  'The fields that were given. Unlike jsonb_strip_nulls it leaves the nulls inside a caller''s metadata alone.';

-- Facts about a thought arrive as JSON with the column names of memories. This is the list of what may be sent.
create function cortex.read_thought(owner uuid, thought jsonb) returns public.memories
language plpgsql stable set search_path = ''
as $$
declare
  unknown text;
  m public.memories;
  stored_at constant timestamptz := clock_timestamp();
begin
  thought := cortex.without_nulls(thought);
  select k into unknown from jsonb_object_keys(thought) k
  where k <> all ('{id,content,embedding,embedding_model,title,thought_type,topics,people,actions,store,category,tags,source,confidence,valence,arousal,pinned,metadata,occurred_at,created_at,due_at,session_id,namespace,extractor,idempotency_key}')
  limit 1;
  if unknown is not null then
    perform cortex.refuse(unknown, 'is not a field of a thought', 'put fields of your own into metadata');
  end if;
  if coalesce(thought ->> 'content', '') !~ '\S' then
    perform cortex.refuse('content', 'is blank', 'send the words to remember');
  end if;
  m := jsonb_populate_record(null::public.memories, thought - 'embedding');
  m.owner_id := owner;
  m.id := coalesce(m.id, gen_random_uuid());
  m.content_hash := cortex.content_hash(m.content);
  m.namespace := coalesce(m.namespace, 'default');
  m.thought_type := coalesce(m.thought_type, 'observation');
  m.topics := coalesce(m.topics, '{}');
  m.people := coalesce(m.people, '{}');
  m.actions := coalesce(m.actions, '{}');
  m.tags := coalesce(m.tags, '{}');
  -- What has a date to be done by is an intention, which does not fade before it.
  m.store := coalesce(m.store, case when m.due_at is not null then 'prospective' else 'episodic' end);
  m.category := coalesce(m.category, 'fact');
  m.source := coalesce(m.source, 'conversation');
  m.confidence := coalesce(m.confidence, 0.8);
  m.valence := coalesce(m.valence, 0);
  m.arousal := coalesce(m.arousal, 0);
  m.pinned := coalesce(m.pinned, false);
  m.metadata := coalesce(cortex.unquoted(m.metadata), '{}');
  m.created_at := coalesce(m.created_at, stored_at);
  m.occurred_at := coalesce(m.occurred_at, m.created_at);
  m.enrichment_attempts := 0;
  m.given := array(select k from jsonb_object_keys(thought) k
    where k = any ('{title,thought_type,topics,people,actions,store,category,confidence,valence,arousal,due_at}'));
  return m;
end;
$$;
comment on function cortex.read_thought(uuid, jsonb) is
  'A row of memories from what a caller sent, defaults filled in; unknown fields are refused by name.';

-- The words as they are compared: the vector, the rows that already say the same, and the neighbours.
create function cortex.find_repeat(thought public.memories) returns public.memories
language sql stable set search_path = ''
begin atomic
  select m from public.memories m
  where m.owner_id = thought.owner_id
    and (m.id = thought.id
      or m.idempotency_key = thought.idempotency_key
      or (m.namespace = thought.namespace and m.content_hash = thought.content_hash
          and m.archived_at is null and m.valid_to is null))
  order by (m.id = thought.id) desc, (m.idempotency_key = thought.idempotency_key) desc nulls last
  limit 1;
end;
comment on function cortex.find_repeat(public.memories) is
  'The stored memory that a new one repeats: the same id, the same idempotency key, or the same words.';

create function cortex.was_erased(owner uuid, memory_id uuid) returns boolean
language sql stable set search_path = ''
return exists (
  select from public.memory_events e
  where e.owner_id = was_erased.owner and e.memory_id = was_erased.memory_id and e.action = 'erase');
comment on function cortex.was_erased(uuid, uuid) is 'Whether a memory of this id was erased: an import must not bring it back.';

create function cortex.capture(thought jsonb, embedding extensions.halfvec default null) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  m public.memories := cortex.read_thought(cortex.current_owner(), thought);
  known public.memories;
  violated text;
  status text;
begin
  perform cortex.check_embedding(embedding);
  m.embedding := embedding;
  if embedding is null then
    m.embedding_model := null;
  end if;
  m.enrichment_status := case when embedding is not null and m.extractor is not null then 'done' else 'pending' end;

  if thought ? 'id' and cortex.was_erased(m.owner_id, m.id) then
    return jsonb_build_object('id', m.id, 'status', 'forgotten', 'enrichment_status', null);
  end if;
  -- What stood in the way may be archived by a job before it is looked up: then there is room now.
  for attempt in 1 .. 10 loop
    begin
      insert into public.memories select m.* on conflict do nothing returning * into known;
    exception when check_violation then
      get stacked diagnostics violated = constraint_name;
      perform cortex.refuse_violation(violated);
    end;
    status := case when known.id is null then 'exists' else 'created' end;
    if known.id is null then
      known := cortex.find_repeat(m);
    end if;
    exit when known.id is not null;
  end loop;

  if status = 'exists' then
    if known.embedding is null and embedding is not null and known.content_hash = m.content_hash then
      update public.memories r
      set embedding = capture.embedding, embedding_model = m.embedding_model,
          extractor = coalesce(r.extractor, m.extractor),
          enrichment_status = case when coalesce(r.extractor, m.extractor) is null then 'pending' else 'done' end
      where r.owner_id = known.owner_id and r.id = known.id
      returning * into known;
      perform cortex.link_related(known);
    end if;
    if known.archive_reason = 'forgotten' then
      status := 'forgotten';
    end if;
  else
    perform cortex.associate(known);
  end if;
  return jsonb_build_object('id', known.id, 'status', status, 'enrichment_status', known.enrichment_status);
end;
$$;
comment on function cortex.capture(jsonb, extensions.halfvec) is
  'Stores one thought of the signed-in owner, once. Answers {id, status: created | exists | forgotten, enrichment_status}.';

create function public.capture_thought(
  content text, embedding extensions.halfvec default null, embedding_model text default null,
  title text default null, thought_type text default null, topics text[] default null, people text[] default null,
  actions text[] default null, store text default null, category text default null, tags text[] default null,
  source text default null, confidence double precision default null, valence double precision default null,
  arousal double precision default null,
  pinned boolean default null, metadata jsonb default null, occurred_at timestamptz default null,
  due_at timestamptz default null, session_id text default null, namespace text default null,
  extractor text default null, idempotency_key text default null, id uuid default null,
  created_at timestamptz default null
) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.capture(cortex.without_nulls(jsonb_build_object(
    'content', content, 'embedding_model', embedding_model, 'title', title, 'thought_type', thought_type,
    'topics', topics, 'people', people, 'actions', actions, 'store', store, 'category', category, 'tags', tags,
    'source', source, 'confidence', confidence, 'valence', valence, 'arousal', arousal, 'pinned', pinned,
    'metadata', metadata, 'occurred_at', occurred_at, 'due_at', due_at, 'session_id', session_id,
    'namespace', namespace, 'extractor', extractor, 'idempotency_key', idempotency_key, 'id', id,
    'created_at', created_at)), embedding);
end;
comment on function public.capture_thought is
  'Stores one thought with whatever is known of it, atomically; store is episodic by default, prospective where due_at is given. The same words again, or the same idempotency_key, answer with the first id. Returns {id, status, enrichment_status}.';

create function cortex.capture_many(thoughts jsonb) returns setof jsonb
language plpgsql set search_path = ''
as $$
declare
  thought jsonb;
  problem text;
  advice text;
  state text;
begin
  thoughts := cortex.unquoted(thoughts);
  if jsonb_typeof(thoughts) <> 'array' or jsonb_array_length(thoughts) > 1000 then
    perform cortex.refuse('thoughts', 'is not a list of at most 1,000 thoughts', 'send a JSON array, in parts');
  end if;
  for thought in select t from jsonb_array_elements(thoughts) t loop
    begin
      return next cortex.capture(thought, (thought ->> 'embedding')::extensions.halfvec);
    exception when others then
      get stacked diagnostics problem = message_text, advice = pg_exception_hint, state = returned_sqlstate;
      -- One bad thought must not cost the others; that nobody is signed in concerns them all.
      if state in ('PT401', '57014') then
        raise;
      end if;
      return next jsonb_build_object('status', 'refused', 'error', problem, 'hint', nullif(advice, ''), 'sqlstate', state);
    end;
  end loop;
end;
$$;
comment on function cortex.capture_many(jsonb) is 'Captures a list of thoughts, each with a verdict of its own.';

create function public.capture_thoughts(thoughts jsonb) returns setof jsonb
language sql set search_path = ''
begin atomic
  select cortex.capture_many(thoughts);
end;
comment on function public.capture_thoughts(jsonb) is
  'Stores up to 1,000 thoughts in one call, objects with the fields of capture_thought; answers one verdict each, in order. A refused thought does not stop the others.';
