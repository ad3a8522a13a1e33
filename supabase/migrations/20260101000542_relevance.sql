-- How relevant each candidate of a search is.

create type cortex.candidates as (
  ids uuid[], vector_ids uuid[], distances double precision[], word_ids uuid[],
  terms cortex.query_term[], words text[], plan text, condition text, model text
);
comment on type cortex.candidates is 'The candidates of one search, which leg brought which, and the plan taken.';

create type cortex.measure as (id uuid, similarity double precision, bm25 double precision, named boolean);
comment on type cortex.measure is 'What was measured of one candidate: cosine similarity, BM25 score, whether the query names its people.';

create type cortex.relevance as (
  id uuid, similarity double precision, lexical double precision, relevance double precision, named boolean
);
comment on type cortex.relevance is 'How relevant one candidate is to a query, 0 to 1, and why.';

create function cortex.find_candidates(
  owner uuid, query_embedding extensions.halfvec, query_text text, filters jsonb, model text, match_count int
) returns cortex.candidates
language plpgsql stable set search_path = ''
as $$
declare
  pool cortex.candidates;
  wanted int;
begin
  pool.condition := cortex.filter_sql(owner, filters);
  pool.model := model;
  pool.terms := case when query_text ~ '\S' then cortex.query_terms(owner, query_text) else '{}' end;
  wanted := greatest(2 * match_count, cortex.setting(
    case when pool.terms = '{}' then 'vector_candidates' else 'search_candidates' end)::int);
  if pool.terms <> '{}' then
    select l.ids, l.words into pool.word_ids, pool.words
    from cortex.lexical_matches(owner, pool.condition, pool.terms, wanted, filters <> '{}') l;
  end if;
  if query_embedding is not null then
    select n.ids, n.distances, n.plan into pool.vector_ids, pool.distances, pool.plan
    from cortex.nearest(owner, pool.condition, query_embedding, model, wanted, filters <> '{}') n;
  end if;
  pool.ids := array(select unnest(pool.vector_ids) union select unnest(pool.word_ids));
  return pool;
end;
$$;
comment on function cortex.find_candidates(uuid, extensions.halfvec, text, jsonb, text, int) is
  'The nearest and the best-matching memories of an owner under the filters, enough of each to rank match_count.';

create function cortex.people_query(terms cortex.query_term[]) returns tsquery
language sql immutable set search_path = ''
return (select nullif(string_agg(cortex.lexeme_query(t.lexeme, 'B')::text, ' | '), '')::tsquery from unnest(terms) t);
comment on function cortex.people_query(cortex.query_term[]) is 'Matches memories whose people hold a word of the query.';

create function cortex.measure_candidates(
  owner uuid, candidates uuid[], query_embedding extensions.halfvec, pool cortex.candidates
) returns cortex.measure[]
language plpgsql stable set search_path = ''
as $$
declare
  measures cortex.measure[];
begin
  -- Without words there is nothing to measure that the vector leg did not.
  if pool.terms = '{}' and candidates <@ pool.vector_ids then
    return array(select row(v.id, 1 - v.distance, null, false)::cortex.measure
                 from unnest(pool.vector_ids, pool.distances) v (id, distance));
  end if;
  execute format($sql$
    select array_agg(row(m.id,
      case when m.embedding_model = $3 then 1 - (m.embedding operator(extensions.<=>) $2) end,
      %s, coalesce(m.fts @@ %L::tsquery, false))::cortex.measure)
    from public.memories m
    where m.owner_id = %L and m.id = any ($1)
  $sql$, cortex.bm25_sql(owner, pool.terms), cortex.people_query(pool.terms), owner)
  into measures using candidates, query_embedding, pool.model;
  return coalesce(measures, '{}');
end;
$$;
comment on function cortex.measure_candidates(uuid, uuid[], extensions.halfvec, cortex.candidates) is
  'Similarity and BM25 of given memories, whichever leg found them.';

-- Cosine spans a narrow band, BM25 has no upper bound. Each is brought to 0..1 over the candidates.
-- Cosine: from the worst candidate to the best. Few candidates may all be good, so then from the threshold.
-- Were it always the threshold, all of many would seem highly relevant, and recency would order them.
-- BM25: over the best, or over what matching half of the query's idf is worth, so that a match on its least
-- telling word is no 1.
create function cortex.rate_relevance(measures cortex.measure[], by_vector boolean, terms cortex.query_term[], match_threshold double precision)
returns setof cortex.relevance
language plpgsql stable set search_path = ''
as $$
declare
  weight constant double precision := cortex.setting('weight_lexical');
  nearest double precision;
  farthest double precision;
  best double precision;
begin
  select max(m.similarity),
         least(min(m.similarity), case when count(m.similarity) < cortex.setting('vector_candidates') then match_threshold end),
         greatest(max(m.bm25),
         cortex.setting('lexical_coverage') * (select sum(t.idf) from unnest(terms) t))
  into nearest, farthest, best from unnest(measures) m;
  return query
    select c.id, c.similarity, c.lexical,
           case when not by_vector then coalesce(c.lexical, 0)
                when c.lexical is null then coalesce(c.cosine, 0)
                when c.cosine is null then c.lexical
                else weight * c.lexical + (1 - weight) * c.cosine end,
           c.named
    from (
      select m.id, m.similarity, m.named, m.bm25 / nullif(best, 0) as lexical,
             case when nearest > farthest then (m.similarity - farthest) / (nearest - farthest)
                  when m.similarity is not null then 1 end as cosine
      from unnest(measures) m
    ) c;
end;
$$;
comment on function cortex.rate_relevance(cortex.measure[], boolean, cortex.query_term[], double precision) is
  'Lexical score and relevance of measured candidates, 0 to 1 over them. Without words relevance is the cosine part, without a vector the lexical part.';
