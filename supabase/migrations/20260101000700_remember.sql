-- The write-up's verbs for one memory: remember, mark used.

create function public.remember(
  content text, title text default null, store text default null, category text default null,
  tags text[] default null, embedding extensions.halfvec default null, embedding_model text default null,
  thought_type text default null, topics text[] default null, people text[] default null,
  actions text[] default null, source text default null, confidence double precision default null,
  valence double precision default null, arousal double precision default null, pinned boolean default null, metadata jsonb default null,
  occurred_at timestamptz default null, due_at timestamptz default null, session_id text default null,
  namespace text default null, extractor text default null, idempotency_key text default null,
  id uuid default null, created_at timestamptz default null
) returns jsonb
language sql set search_path = ''
begin atomic
  select public.capture_thought(
    content => content, embedding => embedding, embedding_model => embedding_model, title => title,
    thought_type => thought_type, topics => topics, people => people, actions => actions,
    store => coalesce(store, case when due_at is null then 'sensory' else 'prospective' end),
    category => category, tags => tags, source => source, confidence => confidence, valence => valence,
    arousal => arousal, pinned => pinned, metadata => metadata, occurred_at => occurred_at, due_at => due_at,
    session_id => session_id, namespace => namespace, extractor => extractor, idempotency_key => idempotency_key,
    id => id, created_at => created_at);
end;
comment on function public.remember is
  'Stores one full memory, as capture_thought does, but in the sensory store unless store says otherwise (prospective where due_at is given): consolidation decides what stays. Returns {id, status, enrichment_status}.';

create function cortex.mark_used(ids uuid[], at timestamptz) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  known constant uuid[] := array(
    select m.id from public.memories m
    where m.owner_id = owner and m.id = any (ids) and m.archive_reason is distinct from 'forgotten'
    order by m.id);
begin
  perform cortex.check_as_of(at);
  if cardinality(known) > 0 then
    perform cortex.touch(owner, known, at);
    perform cortex.log_event(owner, null, 'use', at, null, null, jsonb_build_object('ids', known));
  end if;
  return jsonb_build_object(
    'used', cardinality(known),
    'unknown', array(select distinct i from unnest(ids) i where i <> all (known)));
end;
$$;
comment on function cortex.mark_used(uuid[], timestamptz) is 'Reinforces memories of the signed-in owner by their ids.';

create function public.mark_used(ids uuid[], as_of timestamptz default null) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.mark_used(ids, coalesce(as_of, now()));
end;
comment on function public.mark_used is
  'Reinforces the memories that were really used in an answer, once each. Returns {used: how many, unknown: ids that are none of yours}.';

create function cortex.brief(memory public.memories, longest int default null) returns jsonb
language sql immutable set search_path = ''
return jsonb_build_object(
  'id', memory.id, 'title', memory.title,
  'content', case when char_length(memory.content) > longest then left(memory.content, longest - 1) || '…' else memory.content end,
  'thought_type', memory.thought_type, 'store', memory.store, 'category', memory.category,
  'topics', memory.topics, 'people', memory.people, 'confidence', memory.confidence,
  'occurred_at', memory.occurred_at, 'due_at', memory.due_at, 'valid_to', memory.valid_to,
  'superseded_by', memory.superseded_by, 'archived_at', memory.archived_at, 'archive_reason', memory.archive_reason);
comment on function cortex.brief(public.memories, int) is
  'A memory as an object of an answer; content is cut at longest characters where that is given.';
