-- Decay writes nothing: strength now is a function. The nightly job only archives what has faded, and is
-- the same whether it runs twice, late or after a pause.
--
-- What never leaves this way: pinned memories and intentions (store prospective). Strong emotion fades at
-- half the rate: unused, 90 days instead of 45. A memory imported with its old created_at has been fading
-- since then; imported with occurred_at alone it starts now.

create function cortex.faded_candidates(at timestamptz, out owners uuid[], out ids uuid[])
language plpgsql stable set search_path = ''
as $$
declare
  steepest constant double precision := greatest(cortex.setting('decay_per_day'), cortex.setting('decay_per_day_emotional'));
  threshold constant double precision := cortex.setting('archive_below');
begin
  -- Plain floating point at the steepest rate over the narrow table: whatever passes may have faded. It
  -- is five times as fast as the exact extract(), whose last digit the margin makes up for.
  select array_agg(a.owner_id), array_agg(a.memory_id) into owners, ids
  from public.memory_activation a
  where a.strength - steepest * date_part('epoch', at - a.last_accessed_at) / 86400 < threshold + 1e-6;
end;
$$;
comment on function cortex.faded_candidates(timestamptz) is 'Every memory that may be below archive_below at an instant, archived ones included.';

create function cortex.archive_batch(owners uuid[], memory_ids uuid[], at timestamptz) returns bigint
language plpgsql set search_path = ''
-- Row by row through the keys: never by reading a whole table of vectors for a few thousand of them.
set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  everyday constant double precision := cortex.setting('decay_per_day');
  emotional constant double precision := cortex.setting('decay_per_day_emotional');
  threshold constant double precision := cortex.setting('archive_below');
  archived bigint;
begin
  -- Both rows are locked and judged as they are then: one that was recalled meanwhile stays. The
  -- arithmetic is that of cortex.strength_at, written out because a call a row costs more than the rest.
  with faded as (
    select m.owner_id, m.id
    from unnest(owners, memory_ids) c (owner_id, id)
    join public.memories m on m.owner_id = c.owner_id and m.id = c.id
    join public.memory_activation a on a.owner_id = c.owner_id and a.memory_id = c.id
    where m.archived_at is null and not m.pinned and m.store <> 'prospective'
      and a.strength - case when abs(m.valence) > 0.7 and m.arousal > 0.7 then emotional else everyday end
            * (extract(epoch from archive_batch.at - a.last_accessed_at)::double precision / 86400) < threshold
    order by m.owner_id, m.id
    for no key update of m, a skip locked
  )
  update public.memories m
  set archived_at = archive_batch.at, archive_reason = 'faded'
  from faded f
  where m.owner_id = f.owner_id and m.id = f.id;
  get diagnostics archived = row_count;
  return archived;
end;
$$;
comment on function cortex.archive_batch(uuid[], uuid[], timestamptz) is 'Archives those of the given memories that have faded; rows in use are left for the next run.';

create function cortex.archive_faded(at timestamptz default now(), batch_rows int default 5000) returns bigint
language plpgsql set search_path = ''
as $$
declare
  c record;
  archived bigint := 0;
begin
  select * into c from cortex.faded_candidates(at);
  for n in 1 .. coalesce(cardinality(c.ids), 0) by batch_rows loop
    archived := archived + cortex.archive_batch(
      c.owners[n : n + batch_rows - 1], c.ids[n : n + batch_rows - 1], at);
  end loop;
  return archived;
end;
$$;
comment on function cortex.archive_faded(timestamptz, int) is
  'Archives every memory below archive_below at an instant; answers how many. Found again with include_archived, brought back with restore.';
