-- Decision archaeology: what was decided, what led to it, what speaks against it, what came of it.

create function cortex.reasons(owner uuid, decisions uuid[]) returns table (id uuid, relation text, decision uuid, depth int)
language sql stable set search_path = ''
as $$
  with recursive walk(id, relation, decision, depth) as (
    select d, null::text, d, 0 from unnest(decisions) d
    union
    select e.id, e.relation, w.decision, w.depth + 1
    from walk w
    cross join lateral (
      select l.from_id as id, case l.type when 'caused' then 'cause' when 'supersedes' then 'replacement'
                              when 'part_of' then 'source' else 'contradiction' end as relation
      from public.memory_links l
      where l.owner_id = owner and l.to_id = w.id and l.type in ('caused', 'contradicts', 'supersedes', 'part_of')
      union all
      select l.to_id, case l.type when 'caused' then 'consequence' when 'supersedes' then 'replaced'
                      when 'part_of' then 'summary' else 'contradiction' end
      from public.memory_links l
      where l.owner_id = owner and l.from_id = w.id and l.type in ('caused', 'contradicts', 'supersedes', 'part_of')
      union all
      select m.superseded_by, 'replacement'
      from public.memories m
      where m.owner_id = owner and m.id = w.id and m.superseded_by is not null
    ) e
    where w.depth < 6
  )
  select distinct on (w.id) w.id, w.relation, w.decision, w.depth
  from walk w
  where w.id <> all (decisions)
  order by w.id, w.depth, w.relation, w.decision;
$$;
comment on function cortex.reasons(uuid, uuid[]) is
  'What is tied to decisions within six steps of caused, contradicts, supersedes and part_of; relation says what it is to the memory one step nearer the decision.';

create function cortex.why_did_we(
  question text, query_embedding extensions.halfvec, match_threshold double precision, match_count int, filters jsonb, options jsonb
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  decisions public.thought_hit[];
  others public.thought_hit[];
  decision_ids uuid[];
  chain jsonb;
begin
  perform cortex.check_match_count(match_count);
  if coalesce(question, '') !~ '\S' then
    perform cortex.refuse('question', 'is blank', 'ask for the reason of something');
  end if;
  decisions := array(select d from cortex.search(query_embedding, match_threshold, match_count, question,
    filters || '{"category": "decision", "include_superseded": true}', options) d);
  others := array(select o from cortex.search(query_embedding, match_threshold, match_count, question, filters, options) o);
  decision_ids := array(select d.id from unnest(decisions) d);

  -- Faded and consolidated memories are part of the story; forgotten ones are not.
  select coalesce(jsonb_agg(cortex.brief(m) || jsonb_build_object('relation', r.relation, 'decision', r.decision, 'depth', r.depth)
                            order by m.occurred_at, m.created_at, m.id), '[]')
  into chain
  from cortex.reasons(owner, decision_ids) r
  join public.memories m on m.owner_id = owner and m.id = r.id
  where m.archive_reason is distinct from 'forgotten'
    and (filters ->> 'namespace' is null or m.namespace = filters ->> 'namespace');

  return jsonb_build_object(
    'question', question,
    'decisions', cortex.hits_as_json(owner, decisions, '{}'),
    'chain', chain,
    'context', cortex.hits_as_json(owner, others,
      decision_ids || array(select (c ->> 'id')::uuid from jsonb_array_elements(chain) c)));
end;
$$;
comment on function cortex.why_did_we(text, extensions.halfvec, double precision, int, jsonb, jsonb) is
  'The signed-in owner''s decisions that a question is about, and their story.';

create function public.why_did_we(
  question text, query_embedding extensions.halfvec default null, match_threshold double precision default null,
  match_count int default 5, namespace text default null, embedding_model text default null,
  as_of timestamptz default null
) returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.why_did_we(question, query_embedding, match_threshold, match_count,
    jsonb_strip_nulls(jsonb_build_object('namespace', namespace)),
    jsonb_strip_nulls(jsonb_build_object('embedding_model', embedding_model, 'as_of', as_of)));
end;
comment on function public.why_did_we is
  'Decisions first, best match first, superseded ones included; then chain: what caused, contradicts, replaced or followed from them, in time order; then context: other hits. Returns {question, decisions, chain, context}. Read only.';
