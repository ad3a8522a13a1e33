-- Settings of this brain: one row a value, with its range and meaning. Read by functions at every
-- call, so a change takes effect at once.

create table cortex.settings (
  key text primary key,
  value jsonb not null,
  minimum double precision,
  maximum double precision,
  description text not null,
  constraint settings_number_in_range check (
    (minimum is null and maximum is null)
    or (
      jsonb_typeof(value) = 'number'
      and (value #>> '{}')::double precision between
        coalesce(minimum, '-infinity') and coalesce(maximum, 'infinity')
    )
  )
);
comment on table cortex.settings is 'Settings of this brain. Change one with: update cortex.settings set value = ''0.5'' where key = ''…''';
comment on column cortex.settings.value is 'a JSON number, string or null';
comment on column cortex.settings.minimum is 'the smallest number allowed; null where the value is no number';
comment on column cortex.settings.maximum is 'the largest number allowed; null where the value is no number';
alter table cortex.settings enable row level security;

insert into cortex.settings (key, value, minimum, maximum, description) values
  ('weight_relevance',        '0.4',   0, 1,      'share of relevance in the composite score'),
  ('weight_strength',         '0.3',   0, 1,      'share of strength in the composite score'),
  ('weight_recency',          '0.2',   0, 1,      'share of recency in the composite score'),
  ('weight_access',           '0.1',   0, 1,      'share of access in the composite score'),
  ('weight_lexical',          '0.5',   0, 1,      'share of the lexical score in relevance; the rest is cosine'),
  ('gate_exponent',           '5',     0, 16,     'strength, recency and access count in proportion to relevance to this power'),
  ('recency_half_life_days',  '30',    0.01, 36500, 'days in which recency halves'),
  ('access_saturation',       '20',    1, 100000, 'accesses at which the access component reaches 1'),
  ('match_threshold',         '0.3',   -1, 1,     'cosine similarity below which a vector match is noise, unless a call says otherwise'),
  ('lexical_coverage',        '0.5',   0, 1,      'share of a query''s idf that a memory must match for a lexical score of 1'),
  ('bm25_k1',                 '1.2',   0, 10,     'BM25 term frequency saturation'),
  ('bm25_b',                  '0.4',   0, 1,      'BM25 length normalisation'),
  ('lexeme_rows',             '1500',  10, 1000000, 'rows that the rarest words of a query may offer together; the commoner words only score them'),
  ('exact_scan_cells',        '4000000', 0, 1e12, 'rows x dimensions up to which a search scans exactly instead of using HNSW'),
  ('hnsw_ef_search',          '200',   10, 1000,  'size of the candidate list of an HNSW scan for an owner who has the table alone; longer for a smaller share, at most 1000'),
  ('people_boost',            '0.3',   0, 2,      'share added to relevance where the query names one of a memory''s people'),
  ('search_candidates',       '80',    10, 1000,  'memories each leg of a search by meaning and words offers for ranking'),
  ('vector_candidates',       '30',    10, 1000,  'memories a search by meaning alone offers for ranking'),
  ('spread_follows',          '0.2',   0, 1,      'activation passed along a follows link'),
  ('spread_related',          '0.1',   0, 1,      'activation passed along a related link of weight 1'),
  ('spread_causal',           '0.4',   0, 1,      'activation passed along caused, contradicts, supersedes and part_of links'),
  ('decay_per_day',           '0.02',  0, 1,      'strength lost a day since the last access'),
  ('decay_per_day_emotional', '0.01',  0, 1,      'the same where |valence| > 0.7 and arousal > 0.7'),
  ('archive_below',           '0.1',   0, 1,      'the nightly job archives a memory whose strength is below this'),
  ('reinforce_step',          '0.2',   0, 1,      'a recall moves strength this share of the way to 1'),
  ('sensory_hours',           '24',    0.01, 87600, 'hours after which a sensory memory expires'),
  ('related_count',           '5',     0, 50,     'related links made at capture, at most'),
  ('related_floor',           '0.5',   -1, 1,     'cosine similarity from which two memories are related'),
  ('duplicate_similarity',    '0.95',  -1, 1,     'cosine similarity from which two memories are offered for review as duplicates'),
  ('contradiction_similarity', '0.7',  -1, 1,     'cosine similarity from which two statements, one of them negated, are offered for review as a contradiction'),
  ('consolidation_similarity', '0.75', -1, 1,     'cosine similarity above which sensory memories are consolidated'),
  ('consolidation_sources',   '20',    2, 100,    'sensory memories consolidated into one, at most'),
  ('promote_accesses',        '5',     1, 100000, 'uses from which an episodic memory may become semantic'),
  ('promote_confidence',      '0.8',   0, 1,      'confidence from which an episodic memory may become semantic'),
  ('promote_age_days',        '7',     0, 36500,  'age from which an episodic memory may become semantic'),
  ('keep_sensory_accesses',   '1',     1, 100000, 'uses from which an expired sensory memory becomes episodic instead of leaving'),
  ('stale_days',              '30',    0, 36500,  'knowledge not used for so long is offered for review when waking'),
  ('retention_archived_days', 'null',  null, null, 'days after which archived memories are erased for good; null keeps them'),
  ('retention_job_log_days',  'null',  null, null, 'days after which cron.job_run_details is cleared; null keeps it'),
  ('text_search_config',      '"english"', null, null, 'text search configuration used for stemming; after a change run cortex.reindex_text()');

-- The model whose vectors this brain holds; a caller that names no model means this one.
insert into cortex.settings (key, value, description)
select 'embedding_model',
       to_jsonb(case n.dimensions when '384' then 'all-MiniLM-L6-v2-int8' else 'text-embedding-3-small@' || n.dimensions end),
       'model of the vectors of this brain; vectors of different models are never compared'
from (select coalesce(nullif(current_setting('pgcortex.embedding_dimensions', true), ''), '1536') as dimensions) n;

create function cortex.setting(setting_key text) returns double precision
language plpgsql stable set search_path = ''  -- Postgres 17 plans an SQL function's query at every call
as $$
begin
  return (select (s.value #>> '{}')::double precision from cortex.settings s where s.key = setting_key);
end;
$$;
comment on function cortex.setting(text) is 'A numeric setting, or null where there is none of that name.';

create function cortex.setting_text(setting_key text) returns text
language plpgsql stable set search_path = ''
as $$
begin
  return (select s.value #>> '{}' from cortex.settings s where s.key = setting_key);
end;
$$;
comment on function cortex.setting_text(text) is 'A setting as text.';

create function cortex.all_settings() returns jsonb
language sql stable set search_path = ''
return (select jsonb_object_agg(s.key, s.value) from cortex.settings s);
comment on function cortex.all_settings() is 'Every setting at once, for functions that need many: one read instead of one a value.';

create function cortex.current_owner() returns uuid
language plpgsql stable set search_path = ''
as $$
declare
  owner uuid := auth.uid();
begin
  if owner is null then
    raise exception 'nobody is signed in'
      using errcode = 'PT401',
            hint = 'send the user''s access token; at a console run: select set_config(''request.jwt.claims'', ''{"sub": "<owner uuid>"}'', false)';
  end if;
  return owner;
end;
$$;
comment on function cortex.current_owner() is 'The signed-in owner; fails with 401 where there is none, so that nothing ever runs unscoped.';
