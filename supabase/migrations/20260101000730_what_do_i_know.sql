-- Breadth: what there is on a topic, before reading any of it.

create function cortex.all_words(query_text text) returns tsquery
language sql stable set search_path = ''
return (select string_agg(cortex.lexeme_query(l, 'ABC')::text, ' & ')::tsquery from cortex.query_lexemes(query_text) l);
comment on function cortex.all_words(text) is
  'Matches memories that hold every word of a text themselves, not only the turn before them; null where the text has no words.';

create function cortex.on_topic(
  topic text, condition text, hits public.thought_hit[], match_threshold double precision
) returns uuid[]
language plpgsql stable set search_path = ''
as $$
declare
  words constant tsquery := cortex.all_words(topic);
  by_words uuid[] := array[]::uuid[];
  ids uuid[];
begin
  if words is not null then
    execute format('select coalesce(array_agg(m.id), ''{}'') from public.memories m where %s and m.fts @@ %L::tsquery', condition, words)
      into by_words;
  end if;
  ids := array(select h.id from unnest(hits) h where h.similarity > match_threshold union select unnest(by_words));
  -- Nothing holds all the words or means the same: then what holds some of them.
  return case when ids = '{}' then array(select h.id from unnest(hits) h) else ids end;
end;
$$;
comment on function cortex.on_topic(text, text, public.thought_hit[], double precision) is
  'The memories a topic is about: those that hold all its words, and of the hits those above the threshold.';

create function cortex.count_entries(lists jsonb, except_entry text, wanted int) returns jsonb
language sql immutable set search_path = ''
return (
  select coalesce(jsonb_agg(jsonb_build_object('name', c.entry, 'count', c.uses) order by c.uses desc, c.entry), '[]')
  from (
    select e.entry, count(*) as uses
    from jsonb_array_elements(lists) l, jsonb_array_elements_text(l) e (entry)
    where lower(e.entry) is distinct from lower(except_entry)
    group by e.entry order by uses desc, e.entry limit wanted
  ) c);
comment on function cortex.count_entries(jsonb, text, int) is 'The commonest entries over a list of lists, with counts.';

create function cortex.describe_topic(owner uuid, topic text, ids uuid[]) returns jsonb
language sql stable set search_path = ''
begin atomic
  select jsonb_build_object(
    'count', count(*),
    'by_store', (select coalesce(jsonb_object_agg(c.store, c.n), '{}') from (
                   select m.store, count(*) as n from public.memories m where m.owner_id = owner and m.id = any (ids) group by m.store) c),
    'by_category', (select coalesce(jsonb_object_agg(c.category, c.n), '{}') from (
                   select m.category, count(*) as n from public.memories m where m.owner_id = owner and m.id = any (ids) group by m.category) c),
    'by_type', (select coalesce(jsonb_object_agg(c.thought_type, c.n), '{}') from (
                   select m.thought_type, count(*) as n from public.memories m where m.owner_id = owner and m.id = any (ids) group by m.thought_type) c),
    'people', cortex.count_entries(coalesce(jsonb_agg(t.people), '[]'), null, 10),
    'related_topics', cortex.count_entries(coalesce(jsonb_agg(t.topics || t.tags), '[]'), topic, 10),
    'first', min(t.occurred_at),
    'last', max(t.occurred_at))
  from public.memories t
  where t.owner_id = owner and t.id = any (ids);
end;
comment on function cortex.describe_topic(uuid, text, uuid[]) is 'Counts, people, related topics and date range of given memories.';

create function cortex.hits_as_json(owner uuid, hits public.thought_hit[], except_ids uuid[]) returns jsonb
language sql stable set search_path = ''
return (
  select coalesce(jsonb_agg(cortex.brief(m) || jsonb_build_object('score', h.score, 'similarity', h.similarity, 'strength', h.strength)
                            order by h.score desc, h.id), '[]')
  from unnest(hits) h
  join public.memories m on m.owner_id = owner and m.id = h.id
  where h.id <> all (except_ids));
comment on function cortex.hits_as_json(uuid, public.thought_hit[], uuid[]) is 'Hits as objects of an answer, best first, without some.';

create function cortex.what_do_i_know(
  topic text, query_embedding extensions.halfvec, match_threshold double precision, match_count int, filters jsonb, options jsonb
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  condition constant text := cortex.filter_sql(owner, filters);
  hits public.thought_hit[];
begin
  perform cortex.check_match_count(match_count);
  if coalesce(topic, '') !~ '\S' then
    perform cortex.refuse('topic', 'is blank', 'name a topic, a person, a project');
  end if;
  hits := array(select h from cortex.search(query_embedding, match_threshold, 200, topic, filters, options) h);
  return jsonb_build_object('topic', topic)
    || cortex.describe_topic(owner, topic, cortex.on_topic(topic, condition, hits,
         coalesce(match_threshold, cortex.setting('match_threshold'))))
    || jsonb_build_object('top', cortex.hits_as_json(owner, hits[1:match_count], '{}'));
end;
$$;
comment on function cortex.what_do_i_know(text, extensions.halfvec, double precision, int, jsonb, jsonb) is
  'What the signed-in owner''s brain holds on a topic.';

create function public.what_do_i_know(
  topic text, query_embedding extensions.halfvec default null, match_threshold double precision default null,
  match_count int default 5, namespace text default null, embedding_model text default null,
  as_of timestamptz default null
) returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.what_do_i_know(topic, query_embedding, match_threshold, match_count,
    jsonb_strip_nulls(jsonb_build_object('namespace', namespace)),
    jsonb_strip_nulls(jsonb_build_object('embedding_model', embedding_model, 'as_of', as_of)));
end;
comment on function public.what_do_i_know is
  'What there is on a topic: {topic, count, by_store, by_category, by_type, people, related_topics, first, last, top}. Counted is what holds all words of the topic, and of the 200 nearest by meaning what is above match_threshold; top are the best match_count hits. Read only.';
