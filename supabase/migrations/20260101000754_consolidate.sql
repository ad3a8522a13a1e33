-- Consolidation: a cluster of sensory memories becomes one episodic memory. Written first, then the
-- originals are tied to it and archived, all in one transaction: they are kept, and undo brings them back.

-- No key update: a capture that ties itself to one of them at this moment need not wait, nor be waited for.
create function cortex.lock_sources(owner uuid, ids uuid[], changed_until timestamptz) returns uuid[]
language sql set search_path = ''
begin atomic
  select coalesce(array_agg(l.id), '{}')
  from (
    select m.id from public.memories m
    where m.owner_id = owner and m.id = any (ids) and cortex.is_consolidable(m)
      and (changed_until is null or m.updated_at <= changed_until)
    order by m.id
    for no key update
  ) l;
end;
comment on function cortex.lock_sources(uuid, uuid[], timestamptz) is
  'Those of the given memories that may still be consolidated and did not change since, locked.';

create function cortex.tie_sources(summary public.memories, ids uuid[], at timestamptz) returns void
language sql set search_path = ''
as $$
  insert into public.memory_links (owner_id, from_id, to_id, type, weight)
  select summary.owner_id, i, summary.id, 'part_of', 1 from unnest(ids) i;
  -- What the originals were tied to, the summary is tied to.
  insert into public.memory_links (owner_id, from_id, to_id, type, weight, reviewed_at)
  select distinct on (e.from_id, e.to_id, e.type) e.*
  from (
    select l.owner_id, case when l.from_id = any (ids) then summary.id else l.from_id end as from_id,
           case when l.to_id = any (ids) then summary.id else l.to_id end as to_id, l.type, l.weight, l.reviewed_at
    from public.memory_links l
    where l.owner_id = summary.owner_id and l.type in ('related', 'caused', 'contradicts')
      and (l.from_id = any (ids) or l.to_id = any (ids))
  ) e
  where e.from_id <> e.to_id
  order by e.from_id, e.to_id, e.type, e.weight desc
  on conflict do nothing;
  update public.memory_activation a
  set access_count = (select sum(s.access_count) from public.memory_activation s
                      where s.owner_id = summary.owner_id and s.memory_id = any (ids))
  where a.owner_id = summary.owner_id and a.memory_id = summary.id;
  update public.memories m set archived_at = tie_sources.at, archive_reason = 'consolidated'
  where m.owner_id = summary.owner_id and m.id = any (ids);
  delete from cortex.consolidation_claims c where c.owner_id = summary.owner_id and c.memory_id = any (ids);
$$;
comment on function cortex.tie_sources(public.memories, uuid[], timestamptz) is
  'Makes memories part of a summary: links, uses and archive.';

create function cortex.apply_consolidation(
  owner uuid, ids uuid[], given_content text default null, given_title text default null,
  made_by text default 'extract/1', seen_at timestamptz default null, at timestamptz default now()
) returns uuid
language plpgsql set search_path = ''
as $$
declare
  sources uuid[] := cortex.lock_sources(owner, ids, seen_at);
  summary public.memories;
begin
  -- Words written about all of them are only true of all of them; without words the rest will do.
  if cardinality(sources) < 2 or given_content is not null and not sources @> ids then
    return null;
  end if;
  -- A thought with every default; its columns follow.
  summary := cortex.read_thought(owner, jsonb_build_object('content', 'summary', 'created_at', at));
  select m.namespace into summary.namespace from public.memories m where m.owner_id = owner and m.id = sources[1];
  if exists (select from public.memories m where m.owner_id = owner and m.id = any (sources) and m.namespace <> summary.namespace) then
    perform cortex.refuse('memory_ids', 'are of several namespaces', 'consolidate within one');
  end if;
  summary := cortex.describe_consolidation(summary, sources, given_content, given_title, made_by);
  summary.store := 'episodic';
  summary.source := 'inference';
  insert into public.memories select summary.* returning * into summary;
  perform cortex.tie_sources(summary, sources, at);
  perform cortex.log_event(owner, summary.id, 'consolidate', at, null, null, jsonb_build_object('sources', sources, 'by', made_by));
  if summary.embedding is not null then
    perform cortex.link_related(summary);
  end if;
  return summary.id;
end;
$$;
comment on function cortex.apply_consolidation(uuid, uuid[], text, text, text, timestamptz, timestamptz) is
  'Consolidates memories of one owner that may still be; answers the new memory''s id, or null where too few are left or one changed since seen_at.';

create function cortex.consolidate(at timestamptz default now()) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  c cortex.cluster;
  made int := 0;
  absorbed int := 0;
  problems jsonb := jsonb_build_array();
  problem text;
begin
  perform pg_advisory_xact_lock(hashtextextended('pgcortex job consolidation', 0));
  for c in select k.* from cortex.consolidation_candidates(at) k loop
    begin
      if cortex.apply_consolidation(c.owner_id, c.memory_ids, at => at) is not null then
        made := made + 1;
        absorbed := absorbed + cardinality(c.memory_ids);
      end if;
    exception when others then
      -- One cluster that cannot be written must not keep the others waiting.
      get stacked diagnostics problem = message_text;
      problems := problems || to_jsonb(problem);
    end;
  end loop;
  return jsonb_build_object('consolidated', made, 'sources', absorbed, 'problems', problems);
end;
$$;
comment on function cortex.consolidate(timestamptz) is 'The consolidation job: {consolidated, sources, problems}.';

create function cortex.rewrite_consolidation(summary public.memories, ids uuid[], at timestamptz) returns void
language plpgsql set search_path = ''
as $$
declare
  n constant public.memories := cortex.describe_consolidation(summary, ids, null, null, 'extract/1');
begin
  perform cortex.store_changes(n);
  perform cortex.log_event(n.owner_id, n.id, 'consolidate', at, null, null, jsonb_build_object('sources', ids, 'by', n.extractor));
end;
$$;
comment on function cortex.rewrite_consolidation(public.memories, uuid[], timestamptz) is 'Makes a summary anew from some of its sources.';

-- The originals come back as episodic: they were asked for, so they neither expire tonight nor are merged again.
create function cortex.dissolve_consolidation(summary public.memories, at timestamptz) returns uuid[]
language plpgsql set search_path = ''
as $$
declare
  sources constant uuid[] := cortex.sources_of(summary.owner_id, summary.id);
  restored uuid[];
begin
  perform cortex.erase(summary, 'consolidation undone', at);
  with back as (
    update public.memories m set archived_at = null, archive_reason = null, store = 'episodic'
    where m.owner_id = summary.owner_id and m.id = any (sources) and m.archive_reason = 'consolidated'
      and not exists (
        select from public.memories r
        where r.owner_id = m.owner_id and r.namespace = m.namespace and r.content_hash = m.content_hash
          and r.archived_at is null and r.valid_to is null)
    returning m.id
  )
  select coalesce(array_agg(b.id order by b.id), '{}') into restored from back b;
  update public.memory_activation a set strength = 1, last_accessed_at = greatest(a.last_accessed_at, at)
  where a.owner_id = summary.owner_id and a.memory_id = any (restored);
  return restored;
end;
$$;
comment on function cortex.dissolve_consolidation(public.memories, timestamptz) is
  'Removes a summary and restores its sources, but for one whose words were captured again since. Answers which.';
