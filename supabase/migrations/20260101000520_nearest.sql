-- The vector leg: the nearest memories of one owner by cosine distance, exactly or by HNSW.

-- Statistics say how much the commonest owners have without counting their rows at every search; a wrong
-- guess costs time, never rows. Whoever is not among them is counted, up to the cap.
-- A kept plan takes everyone for an average owner; for a small one it must not read the whole table.
create function cortex.owner_rows(owner uuid, cap bigint) returns bigint
language plpgsql stable set search_path = '' set enable_seqscan = off
as $$
declare
  estimate bigint;
begin
  -- As the planner does: what was counted last, for as much as the table has grown since.
  select (s.most_common_freqs[array_position(s.most_common_vals::text::uuid[], owner)] * c.reltuples
          * pg_relation_size(c.oid) / (current_setting('block_size')::int * nullif(c.relpages, 0)::double precision))::bigint
  into estimate
  from pg_catalog.pg_class c
  join pg_catalog.pg_stats s on s.schemaname = 'public' and s.tablename = 'memories' and s.attname = 'owner_id'
  where c.oid = 'public.memories'::regclass and not s.inherited;
  if estimate is not null then
    return estimate;
  end if;
  return (select count(*) from (select from public.memories m where m.owner_id = owner limit cap + 1) counted);
end;
$$;
comment on function cortex.owner_rows(uuid, bigint) is
  'About how many rows an owner has: from the table''s statistics, or counted up to cap + 1 where they do not say.';

-- The everyday search: every live memory of a large owner. Its plan is kept, because planning costs as much
-- as ranking; the settings leave the planner nothing but the vector index, whatever it thinks of this owner.
create function cortex.scan_hnsw(
  owner uuid, query extensions.halfvec, model text, wanted int, out ids uuid[], out distances double precision[]
)
language plpgsql stable set search_path = ''
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_sort = off
as $$
begin
  select array_agg(n.id), array_agg(n.distance) into ids, distances
  from (
    select m.id, m.embedding operator(extensions.<=>) query as distance
    from public.memories m
    where m.owner_id = owner and m.archived_at is null and m.valid_to is null and m.embedding_model = model
    order by m.embedding operator(extensions.<=>) query
    limit wanted
  ) n;
end;
$$;
comment on function cortex.scan_hnsw(uuid, extensions.halfvec, text, int) is
  'Ids and cosine distances of about the nearest live memories of an owner by the vector index, without filters.';

create function cortex.scan_filtered(
  condition text, query extensions.halfvec, model text, wanted int, by_index boolean,
  out ids uuid[], out distances double precision[]
)
language plpgsql stable set search_path = ''
as $$
begin
  execute format($sql$
    select array_agg(n.id), array_agg(n.distance) from (
      select m.id, m.embedding operator(extensions.<=>) $1 as distance
      from public.memories m
      where %s and m.embedding_model = %L
      order by %s limit %s
    ) n
  $sql$, condition, model,
    -- `+ 0` keeps the index out: every row that passes is compared.
    case when by_index then 'm.embedding operator(extensions.<=>) $1'
         else '(m.embedding operator(extensions.<=>) $1) + 0, m.id' end,
    wanted)
  into ids, distances using query;
end;
$$;
comment on function cortex.scan_filtered(text, extensions.halfvec, text, int, boolean) is
  'Ids and cosine distances of the nearest memories under a condition, by the vector index or exactly.';

create function cortex.nearest(
  owner uuid, condition text, query extensions.halfvec, model text, wanted int, filtered boolean,
  out ids uuid[], out distances double precision[], out plan text, effort double precision default 1
)
language plpgsql stable set search_path = ''
as $$
declare
  exact_rows constant bigint := (effort * cortex.setting('exact_scan_cells') / extensions.vector_dims(query))::bigint;
  ef_search constant double precision := effort * cortex.setting('hnsw_ef_search');
  available bigint;
  share double precision := 1;
begin
  if filtered then
    execute format('select count(*) from (select from public.memories m where %s limit %s) counted', condition, exact_rows + 1)
      into available;
  else
    available := cortex.owner_rows(owner, exact_rows);
  end if;

  if available > exact_rows then
    plan := 'hnsw';
    if not filtered then
      -- What others own fills the candidate list too, so that a smaller owner needs a longer one.
      share := least(1, available / nullif(greatest(
        (select c.reltuples from pg_catalog.pg_class c where c.oid = 'public.memories'::regclass), available), 0));
    end if;
    perform set_config('hnsw.ef_search', least(1000, greatest(wanted, ceil(ef_search / share)))::text, true),
            set_config('hnsw.iterative_scan', 'off', true);
    if not filtered then
      select s.ids, s.distances into ids, distances from cortex.scan_hnsw(owner, query, model, wanted) s;
    end if;
    if filtered or cardinality(ids) is distinct from wanted then
      -- Others' memories, or those that do not pass, filled the candidate list: go on from where it ended.
      perform set_config('hnsw.iterative_scan', 'relaxed_order', true);
      select s.ids, s.distances into ids, distances from cortex.scan_filtered(condition, query, model, wanted, true) s;
    end if;
    if cardinality(ids) = wanted then
      return;
    end if;
  end if;
  plan := case plan when 'hnsw' then 'exact after hnsw' else 'exact' end;
  select coalesce(s.ids, '{}'), coalesce(s.distances, '{}') into ids, distances
  from cortex.scan_filtered(condition, query, model, wanted, false) s;
end;
$$;
comment on function cortex.nearest(uuid, text, extensions.halfvec, text, int, boolean, double precision) is
  'Ids and cosine distances of the wanted nearest memories under a condition, in about that order, and how they were found: exactly for few rows, by HNSW for many, with iterative scan where its candidates do not suffice, exactly again where HNSW returned too few. An effort below 1 looks at that share of the rows or candidates a search looks at.';
