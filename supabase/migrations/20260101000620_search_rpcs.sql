-- The public face of search. Arguments are typed, so PostgREST refuses what it does not know.

create function cortex.read_filters(
  thought_type text, store text, category text, source text, topics text[], people text[], tags text[],
  namespace text, session_id text, since timestamptz, until timestamptz, min_confidence double precision,
  include_archived boolean, include_superseded boolean
) returns jsonb
language sql immutable set search_path = ''
return jsonb_strip_nulls(jsonb_build_object(
  'thought_type', thought_type, 'store', store, 'category', category, 'source', source,
  'topics', nullif(topics, '{}'), 'people', nullif(people, '{}'), 'tags', nullif(tags, '{}'),
  'namespace', namespace, 'session_id', session_id, 'since', since, 'until', until,
  'min_confidence', min_confidence,
  'include_archived', nullif(include_archived, false), 'include_superseded', nullif(include_superseded, false)));
comment on function cortex.read_filters is 'The typed filters of a read as one value; what is null or empty does not filter.';

create function public.search_thoughts(
  query_embedding extensions.halfvec default null, match_threshold double precision default null,
  match_count int default 10, query_text text default null,
  thought_type text default null, store text default null, category text default null, source text default null,
  topics text[] default null, people text[] default null, tags text[] default null,
  namespace text default null, session_id text default null,
  since timestamptz default null, until timestamptz default null, min_confidence double precision default null,
  include_archived boolean default false, include_superseded boolean default false,
  weights jsonb default null, embedding_model text default null, as_of timestamptz default null
) returns setof public.thought_hit
language sql stable set search_path = ''
begin atomic
  select h.* from cortex.search(query_embedding, match_threshold, match_count, query_text,
    cortex.read_filters(thought_type, store, category, source, topics, people, tags, namespace, session_id,
      since, until, min_confidence, include_archived, include_superseded),
    jsonb_strip_nulls(jsonb_build_object('weights', weights, 'embedding_model', embedding_model, 'as_of', as_of))) h;
end;
comment on function public.search_thoughts is
  'Finds thoughts by meaning (query_embedding), by words (query_text) or both, best first. match_threshold is a cosine similarity, default from the settings; a thought that matches the words needs none. Filters on lists match any entry; since is inclusive, until exclusive. Read only.';

create function public.explain_search(
  query_embedding extensions.halfvec default null, match_threshold double precision default null,
  match_count int default 10, query_text text default null,
  thought_type text default null, store text default null, category text default null, source text default null,
  topics text[] default null, people text[] default null, tags text[] default null,
  namespace text default null, session_id text default null,
  since timestamptz default null, until timestamptz default null, min_confidence double precision default null,
  include_archived boolean default false, include_superseded boolean default false,
  weights jsonb default null, embedding_model text default null, as_of timestamptz default null
) returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.explain(query_embedding, match_threshold, match_count, query_text,
    cortex.read_filters(thought_type, store, category, source, topics, people, tags, namespace, session_id,
      since, until, min_confidence, include_archived, include_superseded),
    jsonb_strip_nulls(jsonb_build_object('weights', weights, 'embedding_model', embedding_model, 'as_of', as_of)));
end;
comment on function public.explain_search is
  'What search_thoughts does with the same arguments: the plan taken, candidates seen, words used and dropped, and how many candidates fell below the threshold, with the best of them.';
