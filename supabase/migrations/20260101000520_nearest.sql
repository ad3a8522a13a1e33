-- The vector leg: the nearest memories of one owner by cosine distance, exactly or by HNSW.

-- Statistics say who the large owners are without counting their rows at every search; a wrong guess
-- costs time, never rows. Whoever is not among the most common owners is counted, up to the cap.
create function cortex.owner_rows(owner uuid, cap bigint) returns bigint
language plpgsql stable set search_path = ''
as $$
declare
  estimate bigint;
begin
  select (s.most_common_freqs[array_position(s.most_common_vals::text::uuid[], owner)] * c.reltuples)::bigint
  into estimate
  from pg_catalog.pg_class c
  join pg_catalog.pg_stats s on s.schemaname = 'public' and s.tablename = 'memories' and s.attname = 'owner_id'
  where c.oid = 'public.memories'::regclass and not s.inherited;
  if estimate > cap then
    return estimate;
  end if;
  return (select count(*) from (select from public.memories m where m.owner_id = owner limit cap + 1) counted);
end;
$$;
comment on function cortex.owner_rows(uuid, bigint) is
  'Rows of an owner: exact up to cap, above it an estimate from the table''s statistics.';

create function cortex.nearest(
  owner uuid, condition text, query extensions.halfvec, model text, wanted int, filtered boolean,
  out ids uuid[], out distances double precision[], out plan text
)
language plpgsql stable set search_path = ''
as $$
declare
  exact_rows constant bigint := (cortex.setting('exact_scan_cells') / extensions.vector_dims(query))::bigint;
  available bigint;
  scan constant text := $sql$
    select array_agg(n.id), array_agg(n.distance) from (
      select m.id, m.embedding operator(extensions.<=>) $1 as distance
      from public.memories m
      where %s and m.embedding is not null and m.embedding_model = %L
      order by %s limit %s
    ) n
  $sql$;
begin
  if filtered then
    execute format('select count(*) from (select from public.memories m where %s limit %s) counted', condition, exact_rows + 1)
      into available;
  else
    available := cortex.owner_rows(owner, exact_rows);
  end if;

  if available > exact_rows then
    plan := 'hnsw';
    perform set_config('hnsw.ef_search', greatest(wanted, cortex.setting('hnsw_ef_search'))::int::text, true),
            set_config('hnsw.iterative_scan', 'relaxed_order', true);
    execute format(scan, condition, model, 'm.embedding operator(extensions.<=>) $1', wanted)
      into ids, distances using query;
    if cardinality(ids) >= wanted then
      return;
    end if;
  end if;
  -- `+ 0` keeps the index out: every row of the owner is compared.
  plan := case plan when 'hnsw' then 'exact after hnsw' else 'exact' end;
  execute format(scan, condition, model, '(m.embedding operator(extensions.<=>) $1) + 0, m.id', wanted)
    into ids, distances using query;
  ids := coalesce(ids, '{}');
  distances := coalesce(distances, '{}');
end;
$$;
comment on function cortex.nearest(uuid, text, extensions.halfvec, text, int, boolean) is
  'Ids and cosine distances of the wanted nearest memories under a condition, in about that order, and how they were found: exactly for few rows, by HNSW with iterative scan for many, exactly again where HNSW returned too few.';
