-- Another embedding model for the whole brain, by the owner of the database alone (`pgcortex reembed`). While it goes
-- on, searches compare vectors of the new model only, and words find what has none yet. Every step may be repeated.

create function cortex.embedding_text(memory public.memories) returns text
language sql immutable set search_path = ''
return case
  when starts_with(memory.content, rtrim(coalesce(memory.title, ''), '….')) then memory.content
  else memory.title || e'\n' || memory.content
end;
comment on function cortex.embedding_text(public.memories) is
  'The text that is embedded, as the SDK and the functions make it: the content, under a title that says more than its first words.';

create function cortex.embedding_version(memory public.memories) returns text
language sql immutable set search_path = ''
return encode(sha256(convert_to(cortex.embedding_text(memory), 'UTF8')), 'hex');
comment on function cortex.embedding_version(public.memories) is 'A hash of the text that is embedded: another one means other words.';

-- What was forgotten softly is not sent to a model again; restored, it waits here like the rest.
create function cortex.lacks_vector(memory public.memories, model text) returns boolean
language sql immutable set search_path = ''
return memory.embedding_model is distinct from model and memory.archive_reason is distinct from 'forgotten';
comment on function cortex.lacks_vector(public.memories, text) is 'Whether a memory has yet to be embedded by a model.';

create function cortex.reembed_waiting() returns bigint
language sql stable set search_path = ''
return (select count(*) from public.memories m, cortex.setting_text('embedding_model') model
        where cortex.lacks_vector(m, model));
comment on function cortex.reembed_waiting() is 'How many memories have no vector of the model of this brain.';

create function cortex.reembed_batch(batch int, after_owner uuid default null, after_id uuid default null)
returns table (owner_id uuid, id uuid, embedding_text text, previous text, version text)
language sql stable set search_path = ''
begin atomic
  select m.owner_id, m.id, cortex.embedding_text(m),
    (select p.content from public.memories p where p.owner_id = m.owner_id and p.id = cortex.previous_in_session(m)),
    cortex.embedding_version(m)
  from public.memories m
  where cortex.lacks_vector(m, (select cortex.setting_text('embedding_model')))
    and (after_id is null or (m.owner_id, m.id) > (after_owner, after_id))
  order by m.owner_id, m.id
  limit batch;
end;
comment on function cortex.reembed_batch(int, uuid, uuid) is
  'The next memories without a vector of the model of this brain, in order of owner and id: what to embed, what was said before it in the session, and the version of the text.';

create function cortex.store_vectors(model text, vectors jsonb) returns int
language plpgsql set search_path = ''
as $$
declare
  current constant text := cortex.setting_text('embedding_model');
  item record;
  m public.memories;
  waited boolean;
  first_embedded public.memories[] := array[]::public.memories[];
  stored int := 0;
begin
  if model is distinct from current then
    perform cortex.refuse_as('409', 'model', format('is %s, but this brain is now moved to %s', model, current),
      'run pgcortex reembed again with the model that is meant');
  end if;
  -- In order of the key, so that two at once cannot block each other.
  for item in
    select v.* from jsonb_to_recordset(vectors) v (owner_id uuid, id uuid, version text, embedding text)
    order by v.owner_id, v.id
  loop
    select * into m from public.memories k where k.owner_id = item.owner_id and k.id = item.id for update;
    continue when m.id is null or cortex.embedding_version(m) <> item.version;
    perform cortex.check_embedding(item.embedding::extensions.halfvec);
    waited := m.enrichment_status <> 'done' and m.extractor is not null;
    update public.memories k set
      embedding = item.embedding::extensions.halfvec, embedding_model = model,
      enrichment_status = case when waited then 'done' else k.enrichment_status end,
      enrichment_next_at = case when not waited then k.enrichment_next_at end,
      enrichment_error = case when not waited then k.enrichment_error end
    where k.owner_id = item.owner_id and k.id = item.id
    returning k.* into m;
    if waited and m.archived_at is null then
      first_embedded := first_embedded || m;
    end if;
    stored := stored + 1;
  end loop;
  foreach m in array first_embedded loop
    perform cortex.link_related(m);
  end loop;
  return stored;
end;
$$;
comment on function cortex.store_vectors(text, jsonb) is
  'Writes vectors of the model of this brain: a list of {owner_id, id, version, embedding}, embedding as the text of a vector. A memory whose text has changed meanwhile is left for the next batch. Answers with how many were written.';

-- Functions with a parsed body hold on to the columns they read, and so does a view: Postgres then refuses
-- to change a column's type. They are put aside and made again as they were, in the same transaction. Those in
-- PL/pgSQL are made again too: sessions keep their plans, in which assignments to a row's vector know its old length.
create function cortex.functions_of_vectors() returns table (definition text, stub text)
language plpgsql stable set search_path = ''
as $$
declare
  bound constant oid[] := array(
    -- Postgres 18 minds the parsed functions that read the column, 17 those that read the row in any way.
    select p.oid from pg_catalog.pg_proc p
    where p.prosqlbody is not null and exists (
      select from pg_catalog.pg_depend d
      join pg_catalog.pg_class c on c.oid = 'public.memories'::regclass
      join pg_catalog.pg_type t on t.oid = c.reltype
      where d.classid = 'pg_catalog.pg_proc'::regclass and d.objid = p.oid
        and d.refobjid in (c.oid, t.oid, t.typarray)));
begin
  return query
  select pg_catalog.pg_get_functiondef(p.oid),
    case when p.oid = any (bound) then format('create or replace function %I.%I(%s) returns %s language plpgsql as ''begin end''',
      n.nspname, p.proname, pg_catalog.pg_get_function_arguments(p.oid), pg_catalog.pg_get_function_result(p.oid)) end
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_language l on l.oid = p.prolang
  where p.oid = any (bound) or n.nspname = 'cortex' and l.lanname = 'plpgsql' and p.prokind = 'f';
end;
$$;
comment on function cortex.functions_of_vectors() is
  'The functions that have to be made again when the vector column changes its length: their definition, and for those that keep it from changing one that reads no column.';

create function cortex.thoughts_definition() returns text[]
language plpgsql stable set search_path = ''
as $$
declare
  view pg_catalog.pg_class;
begin
  select * into view from pg_catalog.pg_class c where c.oid = 'public.thoughts'::regclass;
  return array[
    format('create view public.thoughts with (%s) as %s', array_to_string(view.reloptions, ', '), pg_catalog.pg_get_viewdef(view.oid)),
    format('comment on view public.thoughts is %L', pg_catalog.obj_description(view.oid, 'pg_class')),
    'revoke all on public.thoughts from public, anon, authenticated, service_role'
  ] || array(
    select pg_catalog.pg_get_triggerdef(t.oid) from pg_catalog.pg_trigger t where t.tgrelid = view.oid and not t.tgisinternal
  ) || array(
    select format('grant %s on public.thoughts to %s', a.privilege_type,
      case a.grantee when 0 then 'public' else quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end)
    from aclexplode(view.relacl) a where a.grantee <> view.relowner
  );
end;
$$;
comment on function cortex.thoughts_definition() is 'The statements that make the view thoughts as it is, with its trigger and privileges.';

create function cortex.resize_embedding(dimensions int) returns void
language plpgsql set search_path = ''
as $$
declare
  functions constant text[] := array(select f.definition from cortex.functions_of_vectors() f);
  stubs constant text[] := array(select f.stub from cortex.functions_of_vectors() f where f.stub is not null);
  thoughts constant text[] := cortex.thoughts_definition();
  statement text;
  users text;
begin
  foreach statement in array stubs loop
    execute statement;
  end loop;
  begin
    drop view public.thoughts;
  exception when dependent_objects_still_exist then
    get stacked diagnostics users = pg_exception_detail;
    raise exception 'something else uses the view thoughts: %', users
      using errcode = 'PT409', hint = 'keep its definition, drop it, run this again, and create it anew';
  end;
  drop index if exists public.memories_embedding_idx;
  execute format('alter table public.memories alter column embedding type extensions.halfvec(%s) using null,'
    ' alter column embedding_model type text using null', dimensions);
  -- As in the migration that made the column.
  if dimensions <= 2000 then
    alter table public.memories alter column embedding set storage plain;
  end if;
  foreach statement in array thoughts || functions loop
    execute statement;
  end loop;
  notify pgrst, 'reload schema';
end;
$$;
comment on function cortex.resize_embedding(int) is
  'Gives the vector column another length; every vector is dropped, and the vector index until finish_reembed.';

create function cortex.begin_reembed(model text, dimensions int) returns bigint
language plpgsql set search_path = ''
as $$
begin
  if model is null or model !~ '\S' then
    perform cortex.refuse('model', 'is not named', 'name it as the vectors'' model is stored, such as text-embedding-3-small@1536');
  elsif dimensions is null or dimensions not between 1 and 4000 then
    perform cortex.refuse('dimensions', format('is %s, allowed are 1 to 4000', coalesce(dimensions::text, 'null')), 'choose another model');
  end if;
  perform from cortex.settings s where s.key = 'embedding_model' for update;
  if dimensions <> cortex.embedding_dimensions() then
    perform cortex.resize_embedding(dimensions);
  end if;
  update cortex.settings s set value = to_jsonb(model) where s.key = 'embedding_model' and s.value <> to_jsonb(model);
  if nullif(current_setting('pgcortex.embedding_dimensions', true), '')::int <> dimensions then
    begin
      execute format('alter database %I set pgcortex.embedding_dimensions = %s', current_database(), dimensions);
    exception when insufficient_privilege then
      raise notice 'the database keeps its setting pgcortex.embedding_dimensions, which only matters to a new brain';
    end;
  end if;
  return cortex.reembed_waiting();
end;
$$;
comment on function cortex.begin_reembed(text, int) is
  'Makes a model the one of this brain. Vectors of another model stay until they are replaced, those of another length go at once. Answers with how many memories wait for a vector; repeated, it changes nothing.';

create function cortex.finish_reembed() returns bigint
language plpgsql set search_path = ''
as $$
begin
  create index if not exists memories_embedding_idx on public.memories using hnsw (embedding extensions.halfvec_cosine_ops)
    with (ef_construction = 200) where archived_at is null;
  return cortex.reembed_waiting();
end;
$$;
comment on function cortex.finish_reembed() is
  'Makes the vector index where a change of length has dropped it. Answers with how many memories still wait for a vector.';
