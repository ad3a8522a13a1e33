-- The queue of what still has to be embedded or tagged. A row is its own queue entry: claimed with skip
-- locked, hidden for the lease, given back with a growing wait, and after several attempts set aside as
-- failed, where its owner sees it and can requeue it.

insert into cortex.settings (key, value, minimum, maximum, description) values
  ('enrichment_attempts',    '8',    1, 100,   'attempts after which enrichment of a memory is given up'),
  ('enrichment_lease_seconds', '300', 1, 86400, 'how long a claimed memory is hidden from other workers'),
  ('enrichment_wait_seconds', '30',  0, 86400, 'wait after the first failed attempt; it doubles up to six hours');

create type public.enrichment_claim as (
  owner_id uuid, id uuid, content text, title text, content_hash text, occurred_at timestamptz, previous text,
  needs_embedding boolean, needs_metadata boolean, attempts int, budget_spent boolean, neighbours jsonb
);
comment on type public.enrichment_claim is 'One memory handed to a worker, with what it needs to know.';
comment on column public.enrichment_claim.content_hash is 'hex; given back with the result, so that words edited meanwhile are not tagged with old findings';
comment on column public.enrichment_claim.previous is 'what was said just before it in its session';
comment on column public.enrichment_claim.neighbours is 'the existing memories it may repeat, replace or contradict';

-- Cheap on purpose, because every capture asks: of the longest words the four that fewest memories hold are
-- looked up, and none that more than 60 hold, so that the work is bounded however large the brain. The
-- language model judges what comes of it.

-- Without these settings the limit makes the planner hope to meet enough rows early, and for a rare word it
-- then reads them all.
create function cortex.few_holders(owner uuid, term tsquery, most bigint) returns bigint
language sql stable
set search_path = '' set enable_seqscan = off set enable_indexscan = off
begin atomic
  select count(*) from (
    select from public.memories m where m.owner_id = owner and m.fts @@ term and m.archived_at is null
    limit most + 1
  ) counted;
end;
comment on function cortex.few_holders(uuid, tsquery, bigint) is 'How many live memories of an owner hold a lexeme, counted up to most + 1 by the index of words.';

create function cortex.telling_words(owner uuid, words text) returns tsquery
language sql stable set search_path = ''
begin atomic
  -- Materialized, so that each word is counted once.
  with counted as materialized (
    select l.query, cortex.few_holders(owner, l.query, 60) as holders
    from (select cortex.lexeme_query(k) as query from cortex.query_lexemes(left(words, 500)) k limit 10) l
  )
  select string_agg(rare.query::text, ' | ')::tsquery
  from (select c.query from counted c where c.holders between 1 and 60 order by c.holders limit 4) rare;
end;
comment on function cortex.telling_words(uuid, text) is 'The four rarest of a text''s longest words that an owner''s memories hold, joined by or; null for none.';

create function cortex.neighbours(owner uuid, in_namespace text, words text, wanted int default 5) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  telling constant tsquery := cortex.telling_words(owner, words);
  found jsonb;
begin
  if telling is not null then
    -- Words that only the previous thought of the session said (label D) count little.
    execute format($sql$
      select jsonb_agg(jsonb_build_object('id', n.id, 'content', n.content, 'occurred_at', n.occurred_at))
      from (
        select m.id, left(m.content, 500) as content, m.occurred_at from public.memories m
        where %s and m.fts @@ %L::tsquery
        order by ts_rank('{0.1,1,1,1}', m.fts, %L::tsquery) desc, m.occurred_at desc limit %s
      ) n
    $sql$, cortex.filter_sql(owner, jsonb_build_object('namespace', in_namespace)), telling, telling, wanted) into found;
  end if;
  return coalesce(found, '[]');
end;
$$;
comment on function cortex.neighbours(uuid, text, text, int) is 'The live memories of an owner and namespace whose words are nearest to a text, best first.';

create function cortex.claim(batch int, lease_seconds double precision) returns setof public.enrichment_claim
language plpgsql security definer set search_path = ''
as $$
declare
  most constant int := cortex.setting('enrichment_attempts');
  lease constant interval := coalesce(lease_seconds, cortex.setting('enrichment_lease_seconds')) * interval '1 second';
begin
  perform cortex.check_match_count(batch, 200);
  return query
  with due as (
    select m.owner_id, m.id, m.enrichment_attempts from public.memories m
    where m.enrichment_status = 'pending' and m.archived_at is null
      and (m.enrichment_next_at is null or m.enrichment_next_at <= clock_timestamp())
    order by m.enrichment_next_at nulls first, m.created_at
    limit batch for update skip locked
  ),
  -- Attempts are counted when they begin, so that a memory which kills its worker is set aside too.
  exhausted as (
    update public.memories m set enrichment_status = 'failed',
      enrichment_error = coalesce(m.enrichment_error, 'no attempt was finished')
    from due where m.owner_id = due.owner_id and m.id = due.id and due.enrichment_attempts >= most
  ),
  claimed as (
    update public.memories m set enrichment_attempts = m.enrichment_attempts + 1,
      enrichment_next_at = clock_timestamp() + lease
    from due where m.owner_id = due.owner_id and m.id = due.id and due.enrichment_attempts < most
  )
  select m.owner_id, m.id, m.content, m.title, encode(m.content_hash, 'hex'), m.occurred_at,
    (select p.content from public.memories p where p.owner_id = m.owner_id and p.id = cortex.previous_in_session(m)),
    m.embedding is null, m.extractor is null, due.enrichment_attempts + 1, cortex.budget_spent(m.owner_id),
    (select coalesce(jsonb_agg(n), '[]') from jsonb_array_elements(cortex.neighbours(m.owner_id, m.namespace, m.content, 6)) n
     where m.extractor is null and n ->> 'id' <> m.id::text)
  from due join public.memories m on m.owner_id = due.owner_id and m.id = due.id
  where due.enrichment_attempts < most;
end;
$$;
comment on function cortex.claim(int, double precision) is 'Takes up to batch pending memories of any owner for the length of the lease.';

create function public.claim_enrichment(batch int default 20, lease_seconds double precision default null)
returns setof public.enrichment_claim
language sql set search_path = ''
begin atomic
  select c.* from cortex.claim(batch, lease_seconds) c;
end;
comment on function public.claim_enrichment(int, double precision) is
  'Takes up to batch pending memories, hidden from other workers for the lease. Service role only.';

create function cortex.fill_metadata(memory public.memories, findings jsonb) returns public.memories
language plpgsql immutable set search_path = ''
as $$
declare
  m public.memories := memory;
  known jsonb;
begin
  -- What the caller set stays, and so does whatever differs from its default.
  known := jsonb_strip_nulls(findings) - m.given
    - array(select k from unnest('{title,thought_type,topics,people,actions,store,category,confidence,valence,arousal,due_at}'::text[]) k
            where to_jsonb(m) -> k not in ('null', '"observation"', '[]', '"episodic"', '"fact"', '0.8', '0'));
  m := jsonb_populate_record(m, known - '{id,owner_id,content,embedding,warnings}'::text[]);
  if findings -> 'warnings' <> '[]' then
    m.metadata := m.metadata || jsonb_build_object('extraction_warnings', findings -> 'warnings');
  end if;
  return m;
end;
$$;
comment on function cortex.fill_metadata(public.memories, jsonb) is
  'The memory with what an extractor found in every field that nobody has set.';

create function cortex.complete(
  of_owner uuid, of_id uuid, of_hash text, findings jsonb, vector extensions.halfvec, vector_model text, relations jsonb, calls jsonb
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  m public.memories;
  was_embedded boolean;
begin
  perform cortex.check_embedding(vector);
  perform cortex.record_calls(of_owner, of_id, calls);
  select * into m from public.memories k where k.owner_id = of_owner and k.id = of_id for update;
  if m.id is null or encode(m.content_hash, 'hex') <> of_hash then
    return jsonb_build_object('id', of_id, 'status', 'changed', 'enrichment_status', m.enrichment_status);
  end if;
  was_embedded := m.embedding is not null;
  if findings is not null and m.extractor is null then
    m := cortex.fill_metadata(m, findings);
  end if;
  if vector is not null and not was_embedded then
    m.embedding := vector;
    m.embedding_model := vector_model;
  end if;
  if m.embedding is not null and m.extractor is not null then
    m.enrichment_status := 'done';
    m.enrichment_next_at := null;
    m.enrichment_error := null;
  end if;
  update public.memories k set
    title = m.title, thought_type = m.thought_type, topics = m.topics, people = m.people, actions = m.actions,
    store = m.store, category = m.category, confidence = m.confidence, valence = m.valence, arousal = m.arousal,
    due_at = m.due_at, metadata = m.metadata, extractor = m.extractor, embedding = m.embedding,
    embedding_model = m.embedding_model, enrichment_status = m.enrichment_status,
    enrichment_next_at = m.enrichment_next_at, enrichment_error = m.enrichment_error
  where k.owner_id = of_owner and k.id = of_id
  -- A title that arrives after the vector changes the words, and the row goes back for a new vector.
  returning k.* into m;
  if m.embedding is not null and not was_embedded then
    perform cortex.link_related(m);
  end if;
  perform cortex.relate(m, relations);
  return jsonb_build_object('id', of_id, 'status', 'completed', 'enrichment_status', m.enrichment_status);
end;
$$;
comment on function cortex.complete(uuid, uuid, text, jsonb, extensions.halfvec, text, jsonb, jsonb) is
  'Writes what a worker found, in whole or in part; the same result again changes nothing.';

create function public.complete_enrichment(
  owner_id uuid, id uuid, content_hash text, metadata jsonb default null, embedding extensions.halfvec default null,
  embedding_model text default null, relations jsonb default null, calls jsonb default null
) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.complete(owner_id, id, content_hash, cortex.unquoted(metadata), embedding, embedding_model,
    cortex.unquoted(relations), cortex.unquoted(calls));
end;
comment on function public.complete_enrichment is
  'Writes a claimed memory''s metadata, embedding and relations, any of them; done when it has both an embedding and metadata. Service role only.';

create function cortex.postpone(of_owner uuid, of_id uuid, problem text, retry_after double precision, permanent boolean, counted boolean)
returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  wait constant double precision := cortex.setting('enrichment_wait_seconds');
  status text;
begin
  update public.memories m set
    enrichment_attempts = m.enrichment_attempts - (not counted and m.enrichment_attempts > 0)::int,
    enrichment_error = left(coalesce(problem, m.enrichment_error), 500),
    enrichment_status = case
      when permanent or (counted and m.enrichment_attempts >= cortex.setting('enrichment_attempts')) then 'failed' else 'pending' end,
    enrichment_next_at = clock_timestamp() + interval '1 second' * greatest(coalesce(retry_after, 0),
      case when counted then least(21600, wait * 2 ^ greatest(0, m.enrichment_attempts - 1)) * (0.75 + random() / 4) else 0 end)
  where m.owner_id = of_owner and m.id = of_id and m.enrichment_status = 'pending'
  returning m.enrichment_status into status;
  return jsonb_build_object('id', of_id, 'enrichment_status', status);
end;
$$;
comment on function cortex.postpone(uuid, uuid, text, double precision, boolean, boolean) is
  'Puts a claimed memory back for later, or aside when it is hopeless; an attempt that is not counted was no fault of the memory.';

create function public.fail_enrichment(
  owner_id uuid, id uuid, error text default null, retry_after double precision default null, permanent boolean default false,
  counted boolean default true
) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.postpone(owner_id, id, error, retry_after, permanent, counted);
end;
comment on function public.fail_enrichment is
  'Records why a claimed memory could not be enriched and when to try again; failed after the last attempt or when permanent. Service role only.';

create function cortex.requeue(ids uuid[]) returns int
language plpgsql security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  requeued int;
begin
  update public.memories m
  set enrichment_status = 'pending', enrichment_attempts = 0, enrichment_next_at = null, enrichment_error = null
  where m.owner_id = owner and m.enrichment_status = 'failed' and (ids is null or m.id = any (ids));
  get diagnostics requeued = row_count;
  return requeued;
end;
$$;
comment on function cortex.requeue(uuid[]) is 'Puts failed memories of the signed-in owner back into the queue.';

create function public.requeue_enrichment(ids uuid[] default null) returns int
language sql set search_path = ''
begin atomic
  select cortex.requeue(ids);
end;
comment on function public.requeue_enrichment(uuid[]) is 'Tries the failed memories again, all of them or those named; answers how many.';

create function cortex.failed(match_count int) returns setof jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
begin
  perform cortex.check_match_count(match_count, 1000);
  return query
  select jsonb_build_object('id', m.id, 'title', coalesce(m.title, left(m.content, 80)), 'attempts', m.enrichment_attempts,
    'error', m.enrichment_error, 'created_at', m.created_at)
  from public.memories m
  where m.owner_id = owner and m.enrichment_status = 'failed' and m.archived_at is null
  order by m.created_at desc limit match_count;
end;
$$;
comment on function cortex.failed(int) is 'Memories of the signed-in owner whose enrichment was given up.';

create function public.failed_enrichment(match_count int default 50) returns setof jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.failed(match_count);
end;
comment on function public.failed_enrichment(int) is 'Memories whose enrichment was given up: id, title, attempts and the last error, newest first.';
