-- The text and the facts of a consolidation.

create function cortex.sentences_of(owner uuid, ids uuid[])
returns table (memory_id uuid, said_on text, place bigint, sentence text)
language sql stable set search_path = ''
begin atomic
  select m.id, to_char(m.occurred_at at time zone 'UTC', 'YYYY-MM-DD'),
         row_number() over (order by m.occurred_at, m.created_at, m.id, s.n), btrim(s.sentence)
  from public.memories m
  cross join lateral regexp_split_to_table(m.content, '(?<=[.!?])\s+|\n+') with ordinality s (sentence, n)
  where m.owner_id = owner and m.id = any (ids) and s.sentence ~ '\S';
end;
comment on function cortex.sentences_of(uuid, uuid[]) is 'The sentences of given memories in time order, with the day each was said.';

create function cortex.extractive_summary(owner uuid, ids uuid[]) returns text
language sql stable set search_path = ''
return (
  -- Nothing is paraphrased and nothing but a repetition left out: every number, date and name stays.
  with first_said as (
    select distinct on (lower(regexp_replace(rtrim(s.sentence, ' .'), '\s+', ' ', 'g'))) s.*
    from cortex.sentences_of(owner, ids) s
    order by lower(regexp_replace(rtrim(s.sentence, ' .'), '\s+', ' ', 'g')), s.place
  )
  select string_agg(l.line, E'\n' order by l.place)
  from (
    select min(f.place) as place, f.said_on || ': ' || string_agg(f.sentence, ' ' order by f.place) as line
    from first_said f group by f.memory_id, f.said_on
  ) l);
comment on function cortex.extractive_summary(uuid, uuid[]) is
  'The memories'' own sentences, one line a memory, each with its day; repeated sentences once.';

-- Compared whole: 1,500 is not in "1 of 500", and -5 not in "5"; but 1500 is the same number.
create function cortex.numbers_in(body text) returns text[]
language sql immutable set search_path = ''
return array(
  select regexp_replace(n[1], '(?<=\d),(?=\d{3}(?!\d))', '', 'g')
  from regexp_matches(body, '((?:(?<!\w)[-−])?\d+(?:[.,:/-]\d+)*)', 'g') n);
comment on function cortex.numbers_in(text) is 'The numbers, times and dates in digits of a text, each with its sign, points and dashes.';

-- The first word of a sentence is capitalised whatever it is.
create function cortex.names_in(sentence text) returns text[]
language sql immutable set search_path = ''
return array(
  select lower(n[1]) from regexp_matches(regexp_replace(sentence, '^\W*\w+', ''), '\m([[:upper:]]\w+)', 'g') n
  union
  select lower(d[1]) from regexp_matches(sentence,
    '\m(january|february|march|april|may|june|july|august|september|october|november|december'
    || '|monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|tomorrow|yesterday)\M', 'gi') d);
comment on function cortex.names_in(text) is
  'The months, days and capitalised words of a sentence, in small letters; of its first word only a month or a day.';

create function cortex.with_lost_facts(owner uuid, ids uuid[], summary text) returns text
language sql stable set search_path = ''
return (
  select concat_ws(E'\n', summary, string_agg(s.said_on || ': ' || s.sentence, E'\n' order by s.place))
  from cortex.sentences_of(owner, ids) s
  where not cortex.numbers_in(s.sentence) <@ cortex.numbers_in(summary)
    or not cortex.names_in(s.sentence) <@ regexp_split_to_array(lower(summary), '\W+'));
comment on function cortex.with_lost_facts(uuid, uuid[], text) is
  'A summary written by a model, with the original sentences added whose numbers, dates or names it left out.';

create function cortex.first_entries(lists jsonb) returns text[]
language sql immutable set search_path = ''
return array(
  select e.entry
  from jsonb_array_elements(lists) with ordinality l (list, n), jsonb_array_elements_text(l.list) with ordinality e (entry, k)
  group by e.entry order by min(l.n), min(e.k) limit 100);
comment on function cortex.first_entries(jsonb) is 'The distinct entries of a list of lists in order, at most 100.';

create function cortex.shared_embedding(owner uuid, ids uuid[], out embedding extensions.halfvec, out model text)
language sql stable set search_path = ''
as $$
  -- The mean of the sources' directions: the summary is found at once, by what its sources were found by.
  select case when count(*) = cardinality(ids) and count(distinct m.embedding_model) = 1
           then extensions.l2_normalize(extensions.avg(extensions.l2_normalize(m.embedding))) end,
         case when count(*) = cardinality(ids) and count(distinct m.embedding_model) = 1 then min(m.embedding_model) end
  from public.memories m
  where m.owner_id = owner and m.id = any (ids) and m.embedding is not null;
$$;
comment on function cortex.shared_embedding(uuid, uuid[]) is
  'The normalised mean of the vectors of given memories; null unless all have one, of one model.';

create function cortex.describe_consolidation(
  summary public.memories, ids uuid[], given_content text, given_title text, made_by text
) returns public.memories
language plpgsql stable set search_path = ''
as $$
declare
  facts record;
begin
  select array_agg(s.id order by s.occurred_at, s.created_at, s.id) as ids,
         min(s.occurred_at) as occurred_at, min(s.due_at) as due_at, avg(s.confidence) as confidence,
         (array_agg(s.valence order by abs(s.valence) desc, s.id))[1] as valence, max(s.arousal) as arousal,
         case when bool_or(s.category = 'decision') then 'decision' else mode() within group (order by s.category) end as category,
         mode() within group (order by s.thought_type) as thought_type,
         jsonb_agg(s.topics order by s.occurred_at, s.id) as topics, jsonb_agg(s.people order by s.occurred_at, s.id) as people,
         jsonb_agg(s.actions order by s.occurred_at, s.id) as actions, jsonb_agg(s.tags order by s.occurred_at, s.id) as tags,
         jsonb_agg(jsonb_build_object('id', s.id, 'occurred_at', s.occurred_at, 'session_id', s.session_id)
                   order by s.occurred_at, s.created_at, s.id) as sources,
         (array_agg(coalesce(s.title, left(split_part(s.content, E'\n', 1), 80)) order by s.occurred_at, s.created_at, s.id))[1] as title
  into facts
  from public.memories s
  where s.owner_id = summary.owner_id and s.id = any (describe_consolidation.ids);

  summary.content := case when given_content ~ '\S' then cortex.with_lost_facts(summary.owner_id, ids, given_content)
                          else cortex.extractive_summary(summary.owner_id, ids) end;
  summary.title := left(coalesce(given_title, facts.title), 1000);
  summary.thought_type := facts.thought_type;
  summary.category := facts.category;
  summary.topics := cortex.first_entries(facts.topics);
  summary.people := cortex.first_entries(facts.people);
  summary.actions := cortex.first_entries(facts.actions);
  summary.tags := cortex.first_entries(facts.tags);
  summary.confidence := facts.confidence;
  summary.valence := facts.valence;
  summary.arousal := facts.arousal;
  summary.occurred_at := facts.occurred_at;
  summary.due_at := facts.due_at;
  summary.metadata := jsonb_build_object('kind', 'consolidation', 'sources', facts.sources);
  summary.given := '{}';
  summary.extractor := made_by;
  select e.embedding, e.model into summary.embedding, summary.embedding_model
  from cortex.shared_embedding(summary.owner_id, ids) e;
  summary.enrichment_status := case when summary.embedding is null then 'pending' else 'done' end;
  return summary;
end;
$$;
comment on function cortex.describe_consolidation(public.memories, uuid[], text, text, text) is
  'A summary''s columns from its sources: their words, people, topics and dates, the oldest occurred_at, the strongest emotion; not yet stored.';
