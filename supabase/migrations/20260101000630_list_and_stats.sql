-- Browsing and counting.

create type public.thought_row as (
  id uuid, content text, title text, thought_type text, topics text[], people text[], actions text[],
  store text, category text, tags text[], source text, confidence real, valence real, arousal real, pinned boolean,
  metadata jsonb, namespace text, session_id text, occurred_at timestamptz, created_at timestamptz, updated_at timestamptz,
  due_at timestamptz, valid_to timestamptz, superseded_by uuid, archived_at timestamptz, archive_reason text,
  extractor text, enrichment_status text, cursor text
);
comment on type public.thought_row is 'A memory in a list.';
comment on column public.thought_row.cursor is 'pass the last row''s to list_thoughts for the rows after it';

create function cortex.list(filters jsonb, match_count int, after_cursor text) returns setof public.thought_row
language plpgsql stable security definer set search_path = ''
as $$
declare
  condition text := cortex.filter_sql(cortex.current_owner(), filters);
  after_time timestamptz;
  after_id uuid;
begin
  perform cortex.check_match_count(match_count, 1000);
  if after_cursor is not null then
    begin
      after_time := split_part(after_cursor, '/', 1)::timestamptz;
      after_id := split_part(after_cursor, '/', 2)::uuid;
    exception when others then
      perform cortex.refuse('cursor', 'is not one that list_thoughts gave out', 'pass a row''s cursor unchanged');
    end;
    condition := condition || format(' and (m.occurred_at, m.id) < (%L::timestamptz, %L::uuid)', after_time, after_id);
  end if;
  return query execute format($sql$
    select m.id, m.content, m.title, m.thought_type, m.topics, m.people, m.actions, m.store, m.category, m.tags, m.source,
           m.confidence, m.valence, m.arousal, m.pinned, m.metadata, m.namespace, m.session_id, m.occurred_at, m.created_at,
           m.updated_at, m.due_at, m.valid_to, m.superseded_by, m.archived_at, m.archive_reason, m.extractor, m.enrichment_status,
           to_char(m.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '/' || m.id
    from public.memories m
    where %s
    order by m.occurred_at desc, m.id desc
    limit %s
  $sql$, condition, match_count);
end;
$$;
comment on function cortex.list(jsonb, int, text) is 'Memories under the filters, newest first, after a cursor.';

create function public.list_thoughts(
  match_count int default 20, cursor text default null,
  thought_type text default null, store text default null, category text default null, source text default null,
  topics text[] default null, people text[] default null, tags text[] default null,
  namespace text default null, session_id text default null,
  since timestamptz default null, until timestamptz default null, min_confidence double precision default null,
  include_archived boolean default false, include_superseded boolean default false
) returns setof public.thought_row
language sql stable set search_path = ''
begin atomic
  select l.* from cortex.list(
    cortex.read_filters(thought_type, store, category, source, topics, people, tags, namespace, session_id,
      since, until, min_confidence, include_archived, include_superseded), match_count, cursor) l;
end;
comment on function public.list_thoughts is
  'Thoughts newest first by occurred_at, up to 1,000 a call; the last row''s cursor continues. Read only.';

create function cortex.top_entries(owner uuid, list_column text, wanted int default 10) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  answer jsonb;
begin
  execute format($sql$
    select jsonb_agg(jsonb_build_object('name', t.entry, 'count', t.uses) order by t.uses desc, t.entry)
    from (
      select e as entry, count(*) as uses
      from public.memories m, unnest(m.%I) e
      where %s
      group by e order by uses desc, entry limit %s
    ) t
  $sql$, list_column, cortex.filter_sql(owner, '{}'), wanted) into answer;
  return coalesce(answer, '[]');
end;
$$;
comment on function cortex.top_entries(uuid, text, int) is 'The commonest entries of a list column over an owner''s live memories, with counts.';

create function cortex.count_by(owner uuid, counted_column text) returns jsonb
language plpgsql stable set search_path = ''
as $$
declare
  answer jsonb;
begin
  execute format('select jsonb_object_agg(c.value, c.n) from (select m.%I as value, count(*) as n from public.memories m where %s group by 1) c',
    counted_column, cortex.filter_sql(owner, '{}')) into answer;
  return coalesce(answer, '{}');
end;
$$;
comment on function cortex.count_by(uuid, text) is 'Live memories of an owner counted by the values of a column.';

create function cortex.stats() returns jsonb
language sql stable security definer set search_path = ''
begin atomic
  select jsonb_build_object(
    'total', count(m.id) filter (where m.archived_at is null and m.valid_to is null),
    'archived', count(m.id) filter (where m.archive_reason <> 'forgotten'),
    'superseded', count(m.id) filter (where m.valid_to is not null and m.archived_at is null),
    'first', min(m.occurred_at) filter (where m.archived_at is null and m.valid_to is null),
    'last', max(m.occurred_at) filter (where m.archived_at is null and m.valid_to is null),
    'by_type', cortex.count_by(o.owner, 'thought_type'),
    'by_store', cortex.count_by(o.owner, 'store'),
    'by_category', cortex.count_by(o.owner, 'category'),
    'top_topics', cortex.top_entries(o.owner, 'topics'),
    'top_people', cortex.top_entries(o.owner, 'people'),
    'embedding_model', o.model,
    'embedding_dimensions', cortex.embedding_dimensions(),
    'backlog', jsonb_build_object(
      'pending', count(m.id) filter (where m.enrichment_status = 'pending' and m.archived_at is null),
      'failed', count(m.id) filter (where m.enrichment_status = 'failed' and m.archived_at is null),
      'without_vector', count(m.id) filter (where m.embedding is null and m.archived_at is null),
      'other_model', count(m.id) filter (where m.embedding_model <> o.model and m.archived_at is null)))
  from (select cortex.current_owner() as owner, cortex.setting_text('embedding_model') as model offset 0) o  -- once, not once a row
  left join public.memories m on m.owner_id = o.owner
  group by o.owner, o.model;
end;
comment on function cortex.stats() is 'Exact totals of the signed-in owner''s brain.';

create function public.thought_stats() returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.stats();
end;
comment on function public.thought_stats() is
  'Exact totals, top topics and people, date range, counts by type, store and category, and the enrichment backlog. Read only.';
