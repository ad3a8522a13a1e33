-- Why a search answered as it did, for a person or an agent that got fewer hits than it hoped for.

create function cortex.explain(
  query_embedding extensions.halfvec, match_threshold double precision, match_count int, query_text text,
  filters jsonb, options jsonb
) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  model constant text := coalesce(options ->> 'embedding_model', cortex.setting_text('embedding_model'));
  threshold constant double precision := coalesce(match_threshold, cortex.setting('match_threshold'));
  pool cortex.candidates;
  stored bigint;
  answer jsonb;
begin
  perform cortex.check_search(query_embedding, match_threshold, match_count, query_text, options);
  pool := cortex.find_candidates(owner, query_embedding, query_text, filters, model, match_count);
  execute format('select count(*) from public.memories m where %s', pool.condition) into stored;
  select jsonb_build_object(
    'memories', stored,
    'without_vector', (select count(*) from unnest(pool.ids) i join public.memories m on m.owner_id = owner and m.id = i
                       where m.embedding is null or m.embedding_model <> model),
    'plan', pool.plan,
    'vector_candidates', coalesce(cardinality(pool.vector_ids), 0),
    'word_candidates', coalesce(cardinality(pool.word_ids), 0),
    'words', (select jsonb_agg(jsonb_build_object('lexeme', t.lexeme, 'memories', t.df, 'idf', round(t.idf::numeric, 3),
                'chooses_candidates', t.lexeme = any (pool.words))) from unnest(pool.terms) t),
    'match_threshold', threshold,
    'below_threshold', count(*) filter (where r.similarity <= threshold and not r.id = any (coalesce(pool.word_ids, '{}'))),
    'best_below_threshold', max(r.similarity) filter (where r.similarity <= threshold and not r.id = any (coalesce(pool.word_ids, '{}'))),
    'hits', count(*) filter (where r.similarity > threshold or r.id = any (pool.word_ids)),
    'embedding_model', model)
  into answer
  from unnest(cortex.measure_candidates(owner, pool.ids, query_embedding, pool)) r;
  return answer;
end;
$$;
comment on function cortex.explain(extensions.halfvec, double precision, int, text, jsonb, jsonb) is
  'The account of one search: plan, candidates, words, and what the threshold kept out.';
