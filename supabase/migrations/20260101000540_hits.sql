-- What a search answers with.

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
