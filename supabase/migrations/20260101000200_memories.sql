-- One row is one memory; a thought is the same row seen simply.
-- The key leads with the owner, so that every lookup is scoped and the table can be partitioned or
-- distributed by owner without another key.

create function cortex.longest(entries text[]) returns int
language sql immutable set search_path = ''
return (select coalesce(max(char_length(entry)), 0) from unnest(entries) entry);
comment on function cortex.longest(text[]) is 'Characters of the longest entry, 0 for none: an index entry must stay under 2,700 bytes.';

create table public.memories (
  owner_id uuid not null default auth.uid(),
  id uuid not null default gen_random_uuid(),
  namespace text not null default 'default',
  session_id text,
  idempotency_key text,

  title text,
  content text not null,
  content_hash bytea not null,
  fts tsvector not null,

  thought_type text not null default 'observation',
  topics text[] not null default '{}',
  people text[] not null default '{}',
  actions text[] not null default '{}',

  store text not null default 'episodic',
  category text not null default 'fact',
  tags text[] not null default '{}',
  source text not null default 'conversation',
  confidence real not null default 0.8,
  valence real not null default 0,
  arousal real not null default 0,
  pinned boolean not null default false,
  metadata jsonb not null default '{}',

  occurred_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  due_at timestamptz,
  expires_at timestamptz,
  valid_to timestamptz,
  superseded_by uuid,
  archived_at timestamptz,
  archive_reason text,

  embedding_model text,
  extractor text,
  given text[] not null default '{}',
  enrichment_status text not null default 'pending',
  enrichment_attempts int not null default 0,
  enrichment_next_at timestamptz,
  enrichment_error text,

  primary key (owner_id, id),
  foreign key (owner_id, superseded_by) references public.memories (owner_id, id) on delete set null (superseded_by),

  constraint content_not_blank check (content ~ '\S'),
  constraint content_at_most_1_mb check (octet_length(content) <= 1000000),
  constraint title_at_most_1000_characters check (char_length(title) <= 1000),
  constraint namespace_named check (namespace ~ '\S' and char_length(namespace) <= 200),
  constraint session_id_at_most_200_characters check (char_length(session_id) <= 200),
  constraint idempotency_key_at_most_200_characters check (char_length(idempotency_key) <= 200),
  constraint thought_type_known check (thought_type in ('observation', 'task', 'idea', 'reference', 'person_note')),
  constraint store_known check (store in ('sensory', 'episodic', 'semantic', 'procedural', 'prospective')),
  constraint category_known check (category in ('decision', 'lesson', 'person', 'rule', 'event', 'fact', 'goal', 'workflow')),
  constraint source_known check (source in ('conversation', 'cron', 'observation', 'inference', 'external')),
  constraint lists_hold_no_null check (
    array_position(topics, null) is null and array_position(people, null) is null
    and array_position(actions, null) is null and array_position(tags, null) is null
  ),
  constraint lists_at_most_100_entries check (
    cardinality(topics) <= 100 and cardinality(people) <= 100
    and cardinality(actions) <= 100 and cardinality(tags) <= 100
  ),
  constraint list_entries_at_most_500_characters check (
    cortex.longest(topics) <= 500 and cortex.longest(people) <= 500
    and cortex.longest(actions) <= 2000 and cortex.longest(tags) <= 500
  ),
  constraint confidence_between_0_and_1 check (confidence between 0 and 1),
  constraint valence_between_minus_1_and_1 check (valence between -1 and 1),
  constraint arousal_between_0_and_1 check (arousal between 0 and 1),
  -- A cursor of list_thoughts is a date as people write it.
  -- What every client can hold, in whichever time zone it is.
  constraint occurred_at_between_years_1_and_9999 check (occurred_at between '0001-01-02Z' and '9999-12-30Z'),
  constraint created_at_between_years_1_and_9999 check (created_at between '0001-01-02Z' and '9999-12-30Z'),
  constraint due_at_between_years_1_and_9999 check (due_at between '0001-01-02Z' and '9999-12-30Z'),
  constraint metadata_is_object check (jsonb_typeof(metadata) = 'object'),
  constraint superseded_has_end check (superseded_by is null or valid_to is not null),
  constraint not_superseded_by_itself check (superseded_by <> id),
  constraint archive_has_reason check ((archived_at is null) = (archive_reason is null)),
  constraint enrichment_status_known check (enrichment_status in ('pending', 'done', 'failed'))
);

-- The dimension is decided once, when this runs, by the setting pgcortex.embedding_dimensions of the session or
-- the database (docs/deploy.md says how to give it to `supabase db push`).
do $$
declare
  dimensions int := coalesce(nullif(current_setting('pgcortex.embedding_dimensions', true), ''), '1536')::int;
begin
  if dimensions not between 1 and 4000 then
    raise exception 'pgcortex.embedding_dimensions is %, but HNSW takes halfvec of 1 to 4000 dimensions', dimensions;
  end if;
  execute format('alter table public.memories add column embedding extensions.halfvec(%s)', dimensions);
  -- In line rather than TOASTed a vector is read about twice as fast; a row must still fit in one 8 kB page.
  if dimensions <= 2000 then
    alter table public.memories alter column embedding set storage plain;
  end if;
end;
$$;
alter table public.memories
  add constraint embedding_has_model check ((embedding is null) = (embedding_model is null)),
  add constraint embedding_not_zero check (extensions.l2_norm(embedding) > 0);

comment on table public.memories is 'One row is one memory of one owner; the view thoughts shows the live ones simply.';
comment on column public.memories.owner_id is 'the signed-in user; every policy and every function is scoped by it';
comment on column public.memories.namespace is 'a separate brain of the same owner, such as a project or an agent';
comment on column public.memories.session_id is 'the conversation it was said in; neighbours in a session are linked';
comment on column public.memories.idempotency_key is 'a caller''s key for a request: the same key stores once';
comment on column public.memories.content is 'the words as they were said: never blank, at most 1 MB';
comment on column public.memories.content_hash is 'sha-256 of the normalised content; unique among current rows of an owner and namespace';
comment on column public.memories.fts is 'lexemes of title, content, people, topics and tags (weights A to C), and of the previous thought of the session (D); bounded, so a row is always saved';
comment on column public.memories.confidence is 'how certain, 0 to 1';
comment on column public.memories.valence is 'emotional charge, -1 (bad) to 1 (good)';
comment on column public.memories.arousal is 'emotional intensity, 0 to 1';
comment on column public.memories.pinned is 'a pinned memory neither fades nor is archived by a job';
comment on column public.memories.occurred_at is 'when it happened; created_at is when it was stored';
comment on column public.memories.due_at is 'when a task or intention falls due';
comment on column public.memories.expires_at is 'when a sensory memory that was not consolidated is archived';
comment on column public.memories.valid_to is 'when a newer memory replaced it; null while current';
comment on column public.memories.superseded_by is 'the memory that replaced it';
comment on column public.memories.archived_at is 'when it left every default read; it can be restored';
comment on column public.memories.archive_reason is 'faded, expired, consolidated, forgotten, or the caller''s words';
comment on column public.memories.embedding is 'half-precision vector of the content; null until it is embedded';
comment on column public.memories.embedding_model is 'the model that made the embedding; vectors of different models are never compared';
comment on column public.memories.extractor is 'what made the metadata: rules/1, llm/<model>/<prompt version>, or caller';
comment on column public.memories.given is 'the fields of metadata that the caller set; enrichment leaves them alone';
comment on column public.memories.enrichment_status is 'pending: embedding or metadata still to be made; failed: given up after several attempts';
comment on column public.memories.enrichment_attempts is 'how often enrichment was begun';
comment on column public.memories.enrichment_next_at is 'not to be attempted again before this; also the visibility timeout of a claim';
comment on column public.memories.enrichment_error is 'why the last attempt failed';

create unique index memories_content_key on public.memories (owner_id, namespace, content_hash)
  where archived_at is null and valid_to is null;
create unique index memories_idempotency_key on public.memories (owner_id, idempotency_key)
  where idempotency_key is not null;
create index memories_time_idx on public.memories (owner_id, occurred_at desc, id desc);
create index memories_session_idx on public.memories (owner_id, session_id, occurred_at) where session_id is not null;
create index memories_due_idx on public.memories (owner_id, due_at) where due_at is not null and archived_at is null;
create index memories_expiry_idx on public.memories (expires_at) where expires_at is not null and archived_at is null;
create index memories_superseded_by_idx on public.memories (owner_id, superseded_by) where superseded_by is not null;
create index memories_enrichment_idx on public.memories (enrichment_next_at nulls first) where enrichment_status = 'pending';

-- One multicolumn GIN index serves words and list filters, each together with the owner, so that
-- nobody's search reads another owner's postings. Without fastupdate there is no pending list for
-- searches to walk.
create index memories_words_idx on public.memories using gin (owner_id, fts, topics, people, tags)
  with (fastupdate = off);

-- Partial: an archived memory costs the vector index nothing. At pgvector's ef_construction of 64 whole
-- neighbourhoods of clustered vectors stay out of reach, which no longer search makes good; at 200 they do not.
create index memories_embedding_idx on public.memories using hnsw (embedding extensions.halfvec_cosine_ops)
  with (ef_construction = 200) where archived_at is null;
