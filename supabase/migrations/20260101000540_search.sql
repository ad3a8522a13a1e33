-- Search: two legs offer candidates, one statement scores them all alike.

create type public.thought_hit as (
  id uuid,
  content text,
  similarity double precision,
  score double precision,
  relevance double precision,
  lexical double precision,
  strength double precision,
  recency double precision,
  access double precision,
  found_by text[],
  title text,
  thought_type text,
  topics text[],
  people text[],
  actions text[],
  store text,
  category text,
  tags text[],
  source text,
  confidence real,
  namespace text,
  session_id text,
  occurred_at timestamptz,
  created_at timestamptz,
  due_at timestamptz,
  valid_to timestamptz,
  superseded_by uuid,
  archived_at timestamptz,
  metadata jsonb
);
comment on type public.thought_hit is 'A memory that was found, every component of its score, and how it was found.';
comment on column public.thought_hit.similarity is 'cosine similarity to the query, -1 to 1; null where either has no vector of the model asked for';
comment on column public.thought_hit.score is 'weighted sum of relevance and, gated by it, strength, recency and access';
comment on column public.thought_hit.relevance is '0 to 1 over the candidates of this search: the best is 1';
comment on column public.thought_hit.lexical is 'BM25 score over the best one''s, 0 to 1; null where the search has no words';
comment on column public.thought_hit.strength is 'strength at this moment, 0 to 1';
comment on column public.thought_hit.recency is '1 now, halving every half-life since it happened or was last recalled';
comment on column public.thought_hit.access is 'how often it was used, 0 to 1, logarithmic';
comment on column public.thought_hit.found_by is 'vector, words, link: the legs that brought it';

-- What one search looked at, before ranking: shared by search, recall and explain.
create type cortex.candidates as (
  ids uuid[], vector_ids uuid[], word_ids uuid[], terms cortex.query_term[], words text[], plan text, condition text
);
comment on type cortex.candidates is 'The candidates of one search, which leg brought which, and the plan taken.';

create function cortex.find_candidates(
  owner uuid, query_embedding extensions.halfvec, query_text text, filters jsonb, model text, wanted int
) returns cortex.candidates
language plpgsql stable set search_path = ''
as $$
declare
  found cortex.candidates;
begin
  found.condition := cortex.filter_sql(owner, filters);
  found.terms := '{}';
  if query_text ~ '\S' then
    found.terms := cortex.query_terms(owner, query_text);
    select l.ids, l.words into found.word_ids, found.words
    from cortex.lexical_matches(owner, found.condition, found.terms, wanted) l;
  end if;
  if query_embedding is not null then
    select n.ids, n.plan into found.vector_ids, found.plan
    from cortex.nearest(owner, found.condition, query_embedding, model, wanted,
                        jsonb_strip_nulls(filters) <> '{}') n;
  end if;
  found.ids := array(select unnest(found.vector_ids) union select unnest(found.word_ids));
  return found;
end;
$$;
comment on function cortex.find_candidates(uuid, extensions.halfvec, text, jsonb, text, int) is
  'The wanted nearest and the wanted best-matching memories of an owner under the filters.';

create type cortex.relevance as (
  id uuid, similarity double precision, lexical double precision, relevance double precision, named boolean
);
comment on type cortex.relevance is 'How relevant one candidate is to a query, and why.';

create function cortex.people_query(terms cortex.query_term[]) returns tsquery
language sql immutable set search_path = ''
return (select nullif(string_agg(cortex.lexeme_query(t.lexeme, 'B')::text, ' | '), '')::tsquery from unnest(terms) t);
comment on function cortex.people_query(cortex.query_term[]) is 'Matches memories whose people hold a word of the query.';

-- Cosine spans a narrow band, BM25 has no upper bound. Each is brought to 0..1 over the candidates:
-- cosine between the worst candidate (or the threshold, if lower) and the best; BM25 over the best, or
-- over what matching half of the query's idf is worth, so that a match on its least telling word is no 1.
create function cortex.rate_relevance(
  owner uuid, candidates uuid[], query_embedding extensions.halfvec, model text,
  terms cortex.query_term[], match_threshold double precision
) returns setof cortex.relevance
language plpgsql stable set search_path = ''
as $$
begin
  return query execute format($sql$
    with measured as (
      select m.id,
             case when m.embedding_model = $3
               then 1 - (m.embedding operator(extensions.<=>) $2) end as similarity,
             %s as bm25,
             m.fts @@ %L::tsquery as named
      from public.memories m
      where m.owner_id = %L and m.id = any ($1)
    ),
    ranged as (
      select e.*, max(e.similarity) over () as nearest,
             least(min(e.similarity) over (), $4) as farthest, greatest(max(e.bm25) over (), $6) as best
      from measured e
    ),
    scaled as (
      select r.id, r.similarity, r.named,
             case when r.nearest > r.farthest then (r.similarity - r.farthest) / (r.nearest - r.farthest)
                  when r.similarity is not null then 1 end as cosine,
             r.bm25 / nullif(r.best, 0) as lexical
      from ranged r
    )
    select s.id, s.similarity, s.lexical,
           case when $2 is null then coalesce(s.lexical, 0)
                when s.lexical is null then coalesce(s.cosine, 0)
                when s.cosine is null then s.lexical
                else $5 * s.lexical + (1 - $5) * s.cosine end,
           coalesce(s.named, false)
    from scaled s
  $sql$, cortex.bm25_sql(owner, terms), cortex.people_query(terms), owner)
  using candidates, query_embedding, model, match_threshold, cortex.setting('weight_lexical'),
        cortex.setting('lexical_coverage') * (select sum(t.idf) from unnest(terms) t);
end;
$$;
comment on function cortex.rate_relevance(uuid, uuid[], extensions.halfvec, text, cortex.query_term[], double precision) is
  'Similarity, lexical score and relevance of given memories, 0 to 1 over them, and whether the query names their people. Without words relevance is the cosine part, without a vector the lexical part.';

-- Strength, recency and access span 0 to 1 whatever was asked. Added as they are they bury the answer;
-- multiplied by a power of relevance they order what is about equally relevant.
create function cortex.compose_hits(
  owner uuid, rated cortex.relevance[], vector_ids uuid[], word_ids uuid[], weights jsonb, at timestamptz
) returns setof public.thought_hit
language sql stable set search_path = ''
as $$
  with w as (
    select s.*, cortex.setting('gate_exponent') as gate, cortex.setting('recency_half_life_days') as half_life,
           cortex.setting('access_saturation') as saturation
    from cortex.search_weights(weights) s
  ),
  parts as (
    select m, r, w,
           cortex.strength_at(a.strength, a.last_accessed_at,
             cortex.decay_rate(m.valence, m.arousal, m.store, m.pinned), at) as strength,
           cortex.recency_at(m.occurred_at, case when a.access_count > 0 then a.last_accessed_at end, w.half_life, at) as recency,
           cortex.access_score(a.access_count, w.saturation) as access
    from (
      select b.id, b.similarity, b.lexical, b.boosted / nullif(max(b.boosted) over (), 0) as relevance
      from (select t.*, t.relevance * case when t.named then 1 + cortex.setting('people_boost') else 1 end as boosted
            from unnest(rated) t) b
    ) r
    join public.memories m on m.owner_id = owner and m.id = r.id
    join public.memory_activation a on a.owner_id = owner and a.memory_id = r.id
    cross join w
  )
  select (p.m).id, (p.m).content, (p.r).similarity,
         (p.w).relevance * coalesce((p.r).relevance, 0) + power(coalesce((p.r).relevance, 0), (p.w).gate)
           * ((p.w).strength * p.strength + (p.w).recency * p.recency + (p.w).access * p.access),
         coalesce((p.r).relevance, 0), (p.r).lexical, p.strength, p.recency, p.access,
         array_remove(array[
           case when (p.m).id = any (vector_ids) then 'vector' end,
           case when (p.m).id = any (word_ids) then 'words' end,
           case when not ((p.m).id = any (vector_ids || word_ids)) then 'link' end], null),
         (p.m).title, (p.m).thought_type, (p.m).topics, (p.m).people, (p.m).actions, (p.m).store, (p.m).category,
         (p.m).tags, (p.m).source, (p.m).confidence, (p.m).namespace, (p.m).session_id, (p.m).occurred_at,
         (p.m).created_at, (p.m).due_at, (p.m).valid_to, (p.m).superseded_by, (p.m).archived_at, (p.m).metadata
  from parts p;
$$;
comment on function cortex.compose_hits(uuid, cortex.relevance[], uuid[], uuid[], jsonb, timestamptz) is
  'Rated candidates as hits: score = w_relevance · relevance + relevance^gate · (w_strength · strength + w_recency · recency + w_access · access).';

create function cortex.search(
  query_embedding extensions.halfvec, match_threshold double precision, match_count int, query_text text,
  filters jsonb, options jsonb
) returns setof public.thought_hit
language plpgsql stable security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  model constant text := coalesce(options ->> 'embedding_model', cortex.setting_text('embedding_model'));
  at constant timestamptz := coalesce((options ->> 'as_of')::timestamptz, now());
  threshold constant double precision := coalesce(match_threshold, cortex.setting('match_threshold'));
  found cortex.candidates;
  rated cortex.relevance[];
begin
  perform cortex.check_match_count(match_count);
  perform cortex.check_embedding(query_embedding);
  if query_embedding is null and query_text !~ '\S' then
    perform cortex.refuse('query_text', 'is blank and there is no query_embedding', 'send words, a vector, or both');
  end if;
  found := cortex.find_candidates(owner, query_embedding, query_text, filters, model,
    greatest(match_count, cortex.setting('search_candidates')::int));
  rated := array(select r from cortex.rate_relevance(owner, found.ids, query_embedding, model, found.terms, threshold) r
                 where r.similarity > threshold or r.id = any (found.word_ids));
  if (options ->> 'spread')::boolean then
    rated := cortex.spread_activation(owner, rated, query_embedding, model, found, threshold);
  end if;
  return query
    select h.* from cortex.compose_hits(owner, rated, found.vector_ids, found.word_ids, options -> 'weights', at) h
    order by h.score desc, h.id
    limit match_count;
end;
$$;
comment on function cortex.search(extensions.halfvec, double precision, int, text, jsonb, jsonb) is
  'The one search. Hits are above match_threshold by cosine similarity or match the words of query_text; options are embedding_model, as_of, weights, spread.';
