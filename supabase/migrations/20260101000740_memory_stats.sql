-- How strong everything is now, and what the brain looks like.

-- The one place where strength is computed for a whole brain: the arithmetic of cortex.strength_at and
-- cortex.decay_rate written out, because a call a row costs a hundred times as much.
create function cortex.strengths(owner uuid, at timestamptz)
returns table (memory_id uuid, strength double precision, fades_at timestamptz)
language sql stable set search_path = ''
as $$
  with rates as materialized (  -- read once, not once a row
    select cortex.setting('decay_per_day') as everyday, cortex.setting('decay_per_day_emotional') as emotional,
           cortex.setting('archive_below') as threshold
  ),
  fading as (
    select a.memory_id, a.strength, a.last_accessed_at, r.threshold,
           case when m.pinned or m.store = 'prospective' then 0
                when abs(m.valence) > 0.7 and m.arousal > 0.7 then r.emotional
                else r.everyday end as rate
    from public.memories m
    join public.memory_activation a on a.owner_id = owner and a.memory_id = m.id
    cross join rates r
    where m.owner_id = owner and m.archived_at is null and m.valid_to is null
  )
  select f.memory_id,
         greatest(0, f.strength - f.rate * greatest(0, extract(epoch from at - f.last_accessed_at)::double precision / 86400)),
         case when f.rate > 0 then f.last_accessed_at + least((f.strength - f.threshold) / f.rate, 365000) * interval '1 day' end
  from fading f;
$$;
comment on function cortex.strengths(uuid, timestamptz) is
  'Strength of every live memory of an owner at an instant, and when it falls below archive_below if nothing recalls it (null: never).';

create function cortex.strength_histogram(owner uuid, at timestamptz) returns jsonb
language sql stable set search_path = ''
begin atomic
  select jsonb_agg(jsonb_build_object('from', b / 10.0, 'to', (b + 1) / 10.0, 'count', coalesce(h.n, 0)) order by b)
  from generate_series(0, 9) b
  left join (
    select least(9, floor(s.strength * 10))::int as bin, count(*) as n from cortex.strengths(owner, at) s group by 1
  ) h on h.bin = b;
end;
comment on function cortex.strength_histogram(uuid, timestamptz) is 'Live memories by strength in ten bins.';

create function cortex.count_pairs(owner uuid) returns jsonb
language sql stable set search_path = ''
begin atomic
  select coalesce(jsonb_object_agg(s.store, s.categories), '{}')
  from (
    select c.store, jsonb_object_agg(c.category, c.n) as categories
    from (
      select m.store, m.category, count(*) as n from public.memories m
      where m.owner_id = owner and m.archived_at is null and m.valid_to is null
      group by m.store, m.category
    ) c
    group by c.store
  ) s;
end;
comment on function cortex.count_pairs(uuid) is 'Live memories of an owner by store and category.';

create function cortex.memory_stats(at timestamptz) returns jsonb
language sql stable security definer set search_path = ''
begin atomic
  select cortex.stats() || jsonb_build_object(
    'by_store_and_category', cortex.count_pairs(o.owner),
    'by_source', cortex.count_by(o.owner, 'source'),
    'by_namespace', cortex.count_by(o.owner, 'namespace'),
    'by_archive_reason', (select coalesce(jsonb_object_agg(c.archive_reason, c.n), '{}') from (
        select m.archive_reason, count(*) as n from public.memories m
        where m.owner_id = o.owner and m.archived_at is not null group by m.archive_reason) c),
    'pinned', (select count(*) from public.memories m
        where m.owner_id = o.owner and m.pinned and m.archived_at is null and m.valid_to is null),
    'strength', cortex.strength_histogram(o.owner, at),
    'mean_strength', (select avg(s.strength) from cortex.strengths(o.owner, at) s),
    'fading_soon', (select count(*) from cortex.strengths(o.owner, at) s where s.fades_at <= at + interval '7 days'),
    'links', (select coalesce(jsonb_object_agg(c.type, c.n), '{}') from (
        select l.type, count(*) as n from public.memory_links l where l.owner_id = o.owner group by l.type) c),
    'to_review', (select count(*) from cortex.unreviewed(o.owner, null, 100000)),
    'recalls_7_days', (select count(*) from public.memory_events e
        where e.owner_id = o.owner and e.action in ('recall', 'use') and e.at > memory_stats.at - interval '7 days'))
  from (select cortex.current_owner() as owner) o;
end;
comment on function cortex.memory_stats(timestamptz) is 'The state of the signed-in owner''s brain.';

create function public.memory_stats(as_of timestamptz default null) returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.memory_stats(coalesce(as_of, now()));
end;
comment on function public.memory_stats is
  'thought_stats and more: by_store_and_category, by_source, by_namespace, by_archive_reason, pinned, strength (ten bins), mean_strength, fading_soon (within 7 days), links by type, to_review, recalls_7_days. Read only.';
