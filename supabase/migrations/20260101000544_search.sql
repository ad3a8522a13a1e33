-- Search: two legs offer candidates, one statement ranks them all alike.

-- Strength, recency and access span 0 to 1 whatever was asked. Added as they are they bury the answer;
-- multiplied by a power of relevance they order what is about equally relevant. The formulas of
-- cortex.strength_at, recency_at and access_score are written out: a call a row would cost more than the search.
create function cortex.rank_hits(
  owner uuid, rated cortex.relevance[], pool cortex.candidates, weights jsonb, at timestamptz, match_count int
) returns setof public.thought_hit
language plpgsql stable set search_path = ''
as $$
declare
  s constant jsonb := cortex.all_settings();
  w constant record := cortex.search_weights(weights, s);
  gate constant double precision := (s -> 'gate_exponent')::double precision;
  half_life constant double precision := (s -> 'recency_half_life_days')::double precision;
  saturation constant double precision := ln(1 + (s -> 'access_saturation')::double precision);
  boost constant double precision := 1 + (s -> 'people_boost')::double precision;
  everyday constant double precision := (s -> 'decay_per_day')::double precision;
  emotional constant double precision := (s -> 'decay_per_day_emotional')::double precision;
  others constant double precision := w.strength + w.recency + w.access;
begin
  return query
    with boosted as (
      select r.id, r.similarity, r.lexical, r.relevance * case when r.named then boost else 1 end as relevance
      from unnest(rated) r
    ),
    relative as materialized (
      select b.id, b.similarity, b.lexical, coalesce(b.relevance / nullif(max(b.relevance) over (), 0), 0) as relevance
      from boosted b
    ),
    -- Who cannot come in, were all its other parts 1 and those of the match_count most relevant 0, is not looked up.
    contenders as (
      select r.* from relative r
      where w.relevance * r.relevance + power(r.relevance, gate) * others >= w.relevance * coalesce(
        (select o.relevance from relative o order by o.relevance desc offset match_count - 1 limit 1), 0)
    ),
    parts as (
      select r.id as hit, r.similarity, r.lexical, r.relevance,
             greatest(0, a.strength - greatest(0, date_part('epoch', at - a.last_accessed_at) / 86400)
               * case when m.pinned or m.store = 'prospective' then 0
                      when abs(m.valence) > 0.7 and m.arousal > 0.7 then emotional
                      else everyday end) as strength,
             power(0.5, least(1000, greatest(0, date_part('epoch', at - greatest(m.occurred_at,
               case when a.access_count > 0 then a.last_accessed_at end)) / 86400) / half_life)) as recency,
             least(1, ln(1 + a.access_count) / saturation) as access,
             m.*
      from contenders r
      join public.memories m on m.owner_id = owner and m.id = r.id
      join public.memory_activation a on a.owner_id = owner and a.memory_id = r.id
    )
    select p.hit, p.content, p.similarity,
           w.relevance * p.relevance
             + power(p.relevance, gate) * (w.strength * p.strength + w.recency * p.recency + w.access * p.access) as score,
           p.relevance, p.lexical, p.strength, p.recency, p.access,
           array_remove(array[
             case when p.hit = any (pool.vector_ids) then 'vector' end,
             case when p.hit = any (pool.word_ids) then 'words' end,
             case when not p.hit = any (pool.ids) then 'link' end], null),
           p.title, p.thought_type, p.topics, p.people, p.actions, p.store, p.category, p.tags, p.source, p.confidence,
           p.namespace, p.session_id, p.occurred_at, p.created_at, p.due_at, p.valid_to, p.superseded_by, p.archived_at,
           p.metadata
    from parts p
    order by score desc, p.relevance desc, p.hit
    limit match_count;
end;
$$;
comment on function cortex.rank_hits(uuid, cortex.relevance[], cortex.candidates, jsonb, timestamptz, int) is
  'The match_count best of rated candidates: score = w_relevance · relevance + relevance^gate · (w_strength · strength + w_recency · recency + w_access · access). Relevance grows by people_boost where the query names a memory''s people.';

create function cortex.search(
  query_embedding extensions.halfvec, match_threshold double precision, match_count int, query_text text,
  filters jsonb, options jsonb
) returns setof public.thought_hit
language plpgsql stable security definer set search_path = '' set plan_cache_mode = force_generic_plan
as $$
declare
  owner constant uuid := cortex.current_owner();
  threshold constant double precision := coalesce(match_threshold, cortex.setting('match_threshold'));
  pool cortex.candidates;
  rated cortex.relevance[];
begin
  perform cortex.check_search(query_embedding, match_threshold, match_count, query_text, options);
  pool := cortex.find_candidates(owner, query_embedding, query_text, filters,
    coalesce(options ->> 'embedding_model', cortex.setting_text('embedding_model')), match_count);
  rated := array(
    select r from cortex.rate_relevance(
      cortex.measure_candidates(owner, pool.ids, query_embedding, pool), query_embedding is not null, pool.terms, threshold) r
    where r.similarity > threshold or r.id = any (pool.word_ids));
  if (options ->> 'spread')::boolean then
    rated := cortex.spread_activation(owner, rated, query_embedding, pool, threshold);
  end if;
  return query select h.* from cortex.rank_hits(owner, rated, pool, options -> 'weights',
    coalesce((options ->> 'as_of')::timestamptz, now()), match_count) h;
end;
$$;
comment on function cortex.search(extensions.halfvec, double precision, int, text, jsonb, jsonb) is
  'The one search. Hits are above match_threshold by cosine similarity or match the words of query_text; options are embedding_model, as_of, weights, spread.';
