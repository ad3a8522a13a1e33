-- Recall is a search that also follows links and strengthens what it brings back.

-- One statement. Rows are locked in id order, so parallel recalls cannot deadlock; strength is computed
-- from the version that was locked, and the count moves in place, so no access is lost.
create function cortex.touch(owner uuid, memory_ids uuid[], at timestamptz) returns int
language plpgsql set search_path = ''
as $$
declare
  touched int;
begin
  with locked as (
    select a.memory_id, a.strength, a.last_accessed_at
    from public.memory_activation a
    where a.owner_id = owner and a.memory_id = any (memory_ids)
    order by a.memory_id
    for update
  ),
  weighed as (
    select l.memory_id, cortex.strength_at(l.strength, l.last_accessed_at,
             cortex.decay_rate(m.valence, m.arousal, m.store, m.pinned), at) as strength
    from locked l
    join public.memories m on m.owner_id = owner and m.id = l.memory_id
  )
  update public.memory_activation a
  set strength = w.strength + (1 - w.strength) * (select cortex.setting('reinforce_step')),
      access_count = a.access_count + 1,
      last_accessed_at = greatest(a.last_accessed_at, at)
  from weighed w
  where a.owner_id = owner and a.memory_id = w.memory_id;
  get diagnostics touched = row_count;
  return touched;
end;
$$;
comment on function cortex.touch(uuid, uuid[], timestamptz) is
  'Reinforces memories: strength moves reinforce_step of the way from its value at this moment to 1, the access count grows by one, the last access never moves back. Answers how many.';

-- A hundred recalls of one memory queue for its row, each for a moment, and all are counted. A row that
-- stays locked longer is not worth the wait: an answer in time is worth more than a touch.
create function cortex.try_touch(owner uuid, memory_ids uuid[], at timestamptz) returns boolean
language plpgsql set search_path = '' set lock_timeout = '1s'
as $$
begin
  if current_setting('transaction_read_only')::boolean then
    return false;
  end if;
  perform cortex.touch(owner, memory_ids, at);
  perform cortex.log_event(owner, null, 'recall', at, null, null, jsonb_build_object('ids', memory_ids));
  return true;
exception when lock_not_available or deadlock_detected or serialization_failure then
  return false;
end;
$$;
comment on function cortex.try_touch(uuid, uuid[], timestamptz) is
  'Touches where it can: on a standby, in a read only transaction, or when a row stays locked for a second, it answers false and the recall goes on.';

create function cortex.recall(
  query_embedding extensions.halfvec, match_threshold double precision, match_count int, query_text text,
  filters jsonb, options jsonb, reinforce boolean
) returns setof public.thought_hit
language plpgsql security definer set search_path = ''
as $$
declare
  hits public.thought_hit[];
begin
  hits := array(select h from cortex.search(query_embedding, match_threshold, match_count, query_text, filters,
                                            options || '{"spread": true}') h);
  if reinforce and cardinality(hits) > 0 then
    perform cortex.try_touch(cortex.current_owner(), array(select h.id from unnest(hits) h),
      coalesce((options ->> 'as_of')::timestamptz, now()));
  end if;
  return query select h.* from unnest(hits) h;
end;
$$;
comment on function cortex.recall(extensions.halfvec, double precision, int, text, jsonb, jsonb, boolean) is
  'Search with spreading activation; reinforces what it returns unless told not to.';

create function public.recall(
  query_embedding extensions.halfvec default null, match_threshold double precision default null,
  match_count int default 10, query_text text default null,
  thought_type text default null, store text default null, category text default null, source text default null,
  topics text[] default null, people text[] default null, tags text[] default null,
  namespace text default null, session_id text default null,
  since timestamptz default null, until timestamptz default null, min_confidence double precision default null,
  include_archived boolean default false, include_superseded boolean default false,
  weights jsonb default null, embedding_model text default null, as_of timestamptz default null,
  reinforce boolean default true
) returns setof public.thought_hit
language sql set search_path = ''
begin atomic
  select h.* from cortex.recall(query_embedding, match_threshold, match_count, query_text,
    cortex.read_filters(thought_type, store, category, source, topics, people, tags, namespace, session_id,
      since, until, min_confidence, include_archived, include_superseded),
    jsonb_strip_nulls(jsonb_build_object('weights', weights, 'embedding_model', embedding_model, 'as_of', as_of)),
    reinforce) h;
end;
comment on function public.recall is
  'As search_thoughts, and also what is linked to the strong hits; reinforces what it returns unless reinforce is false.';
