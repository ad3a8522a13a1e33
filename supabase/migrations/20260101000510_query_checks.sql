-- What a query may ask. Bad input is refused before anything is searched, with the field's name.

create function cortex.refuse(field text, problem text, advice text) returns void
language plpgsql set search_path = ''
as $$
begin
  raise exception '%: %', field, problem
    using errcode = 'PT400', hint = advice, detail = jsonb_build_object('field', field)::text;
end;
$$;
comment on function cortex.refuse(text, text, text) is 'Fails with HTTP 400, naming the field and what to do.';

create function cortex.refuse_as(status text, field text, problem text, advice text) returns void
language plpgsql set search_path = ''
as $$
begin
  raise exception '%: %', field, problem
    using errcode = 'PT' || status, hint = advice, detail = jsonb_build_object('field', field)::text;
end;
$$;
comment on function cortex.refuse_as(text, text, text, text) is 'As refuse, with another HTTP status: 404, 409, 410.';

-- Some servers and clients send an object or a list as the text of one (case C57).
create function cortex.unquoted(value jsonb) returns jsonb
language plpgsql stable set search_path = ''
as $$
begin
  if jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^\s*[\[{]' and pg_input_is_valid(value #>> '{}', 'jsonb') then
    return (value #>> '{}')::jsonb;
  end if;
  return value;
end;
$$;
comment on function cortex.unquoted(jsonb) is 'The object or list that a JSON string holds; any other value as it is.';

create function cortex.embedding_dimensions() returns int
language sql stable set search_path = ''
return (select a.atttypmod from pg_catalog.pg_attribute a
        where a.attrelid = 'public.memories'::regclass and a.attname = 'embedding');
comment on function cortex.embedding_dimensions() is 'The vector length this brain stores.';

create function cortex.check_embedding(embedding extensions.halfvec) returns void
language plpgsql stable set search_path = ''
as $$
declare
  stored int := cortex.embedding_dimensions();
begin
  if extensions.vector_dims(embedding) <> stored then
    perform cortex.refuse('embedding',
      format('has %s dimensions, this brain stores %s', extensions.vector_dims(embedding), stored),
      'use the embedding model this brain was made for, or move the brain with: pgcortex reembed');
  elsif extensions.l2_norm(embedding) = 0 then
    perform cortex.refuse('embedding', 'is all zero, which has no direction', 'send the vector the model returned');
  end if;
end;
$$;
comment on function cortex.check_embedding(extensions.halfvec) is 'Refuses a vector of another length or all zero; a null passes.';

create function cortex.check_match_count(match_count int, most int default 200) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if match_count is null or match_count not between 1 and most then
    perform cortex.refuse('match_count', format('is %s, allowed are 1 to %s', coalesce(match_count::text, 'null'), most),
      'page through list_thoughts for more');
  end if;
end;
$$;
comment on function cortex.check_match_count(int, int) is 'Refuses a result size outside 1 to most.';

-- The one place that says which rows a read may return. Every read builds its WHERE from it: live rows
-- only, unless the filters ask for more; what was forgotten never. Values are quoted literals, so the
-- planner knows them.
create function cortex.filter_sql(owner uuid, filters jsonb) returns text
language plpgsql immutable set search_path = ''
as $$
declare
  condition text := format('m.owner_id = %L', owner);
  name text;
  wanted jsonb;
  known text[];
begin
  condition := condition || case
    when coalesce((filters ->> 'include_archived')::boolean, false)
      then ' and m.archive_reason is distinct from ''forgotten'''
    else ' and m.archived_at is null'
  end;
  if not coalesce((filters ->> 'include_superseded')::boolean, false) then
    condition := condition || ' and m.valid_to is null';
  end if;
  for name, wanted in
    select f.key, f.value from jsonb_each(filters) f
    where f.value <> 'null' and f.key not in ('include_archived', 'include_superseded')
  loop
    -- As in the table's checks. A misspelt value would look as if nothing were stored.
    known := case name
      when 'thought_type' then array['observation', 'task', 'idea', 'reference', 'person_note']
      when 'store' then array['sensory', 'episodic', 'semantic', 'procedural', 'prospective']
      when 'category' then array['decision', 'lesson', 'person', 'rule', 'event', 'fact', 'goal', 'workflow']
      when 'source' then array['conversation', 'cron', 'observation', 'inference', 'external']
    end;
    if wanted #>> '{}' <> all (known) then
      perform cortex.refuse(name, format('%s is none', wanted #>> '{}'), 'known are ' || array_to_string(known, ', '));
    end if;
    condition := condition || case
      when name in ('thought_type', 'store', 'category', 'namespace', 'session_id', 'source')
        then format(' and m.%I = %L', name, wanted #>> '{}')
      when name in ('topics', 'people', 'tags')
        then format(' and m.%I && %L::text[]', name, (select array_agg(e) from jsonb_array_elements_text(wanted) e))
      when name = 'since' then format(' and m.occurred_at >= %L::timestamptz', wanted #>> '{}')
      when name = 'until' then format(' and m.occurred_at < %L::timestamptz', wanted #>> '{}')
      -- Rounded and bounded, because not every number fits a real.
      when name = 'min_confidence'
        then format(' and m.confidence >= %L::real', greatest(-1, least(2, round((wanted #>> '{}')::numeric, 9))))
    end;
    if condition is null then
      perform cortex.refuse(name, 'is not a filter',
        'filters are thought_type, store, category, source, topics, people, tags, namespace, session_id, since, until, min_confidence, include_archived, include_superseded');
    end if;
  end loop;
  return condition;
end;
$$;
comment on function cortex.filter_sql(uuid, jsonb) is
  'The WHERE condition of a read over public.memories m: the owner, live rows, and the typed filters. Topics, people and tags match on any entry; since is inclusive, until exclusive.';

create function cortex.check_weights(given jsonb) returns void
language plpgsql stable set search_path = ''
as $$
declare
  weights constant jsonb := cortex.unquoted(given);
  wrong text;
begin
  if jsonb_typeof(weights) <> 'object' then
    perform cortex.refuse('weights', 'is no object', 'send an object such as {"relevance": 1, "recency": 0}');
  elsif weights is not null then
    select w.key into wrong
    from jsonb_each(weights) w
    where w.key not in ('relevance', 'strength', 'recency', 'access')
      -- As numeric, because not every number fits a double.
      or jsonb_typeof(w.value) <> 'number' or (w.value #>> '{}')::numeric not between 0 and 1
    limit 1;
    if wrong is not null then
      perform cortex.refuse('weights.' || wrong, 'is not a weight between 0 and 1',
        'weights are relevance, strength, recency and access');
    end if;
  end if;
end;
$$;
comment on function cortex.check_weights(jsonb) is 'Refuses weights that are no object of numbers from 0 to 1; a null passes.';

create function cortex.check_as_of(as_of timestamptz) returns void
language plpgsql immutable set search_path = ''
as $$
begin
  if not isfinite(as_of) then
    perform cortex.refuse('as_of', 'is infinite', 'send a moment, or nothing for now');
  end if;
end;
$$;
comment on function cortex.check_as_of(timestamptz) is 'Refuses an infinite moment, at which nothing can be weighed; a null passes.';

create function cortex.check_search(
  query_embedding extensions.halfvec, match_threshold double precision, match_count int, query_text text, options jsonb
) returns void
language plpgsql stable set search_path = ''
as $$
begin
  perform cortex.check_match_count(match_count);
  perform cortex.check_embedding(query_embedding);
  if query_embedding is null and coalesce(query_text, '') !~ '\S' then
    perform cortex.refuse('query_text', 'is blank and there is no query_embedding', 'send words, a vector, or both');
  elsif match_threshold in ('infinity', '-infinity', 'nan') then
    perform cortex.refuse('match_threshold', 'is not a finite number', 'send a cosine similarity from -1 to 1');
  end if;
  if options ? 'weights' then
    perform cortex.check_weights(options -> 'weights');
  end if;
  perform cortex.check_as_of((options ->> 'as_of')::timestamptz);
end;
$$;
comment on function cortex.check_search(extensions.halfvec, double precision, int, text, jsonb) is
  'Refuses what no search can answer, by the name of the argument.';

create function cortex.search_weights(
  given jsonb, settings jsonb,
  out relevance double precision, out strength double precision, out recency double precision, out access double precision
)
language plpgsql stable set search_path = ''
as $$
declare
  overrides constant jsonb := cortex.unquoted(given);
begin
  -- Rounded, because a very small number does not fit a double.
  relevance := round(coalesce(overrides ->> 'relevance', settings ->> 'weight_relevance')::numeric, 15);
  strength := round(coalesce(overrides ->> 'strength', settings ->> 'weight_strength')::numeric, 15);
  recency := round(coalesce(overrides ->> 'recency', settings ->> 'weight_recency')::numeric, 15);
  access := round(coalesce(overrides ->> 'access', settings ->> 'weight_access')::numeric, 15);
end;
$$;
comment on function cortex.search_weights(jsonb, jsonb) is
  'The weights of the composite score: the settings, with a call''s own in their place, which were checked before.';
