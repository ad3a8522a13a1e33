-- Which sensory memories belong together. A cluster has a centre, its oldest memory, and what is nearer
-- to it than consolidation_similarity: members resemble the centre, not merely one another, so a chain of
-- small steps does not end in one heap. Only the sensory store is looked at: a summary is episodic, and is
-- never summarised again.

create table cortex.consolidation_claims (
  owner_id uuid not null,
  memory_id uuid not null,
  claimed_until timestamptz not null,
  primary key (owner_id, memory_id),
  foreign key (owner_id, memory_id) references public.memories (owner_id, id) on delete cascade
);
comment on table cortex.consolidation_claims is
  'Memories that a language model is summarising right now; a claim lapses by itself, so a crash costs time only.';
comment on column cortex.consolidation_claims.claimed_until is 'until when nobody else gets it';
alter table cortex.consolidation_claims enable row level security;
create policy "nobody reads claims through the api" on cortex.consolidation_claims for select to authenticated using (false);

create type cortex.cluster as (owner_id uuid, namespace text, memory_ids uuid[], seen_at timestamptz);
comment on type cortex.cluster is 'Sensory memories of one owner, namespace and embedding model that resemble the first of them.';
comment on column cortex.cluster.seen_at is 'when they were read: a memory changed since is not what was clustered';

create function cortex.is_consolidable(memory public.memories) returns boolean
language sql immutable set search_path = ''
return memory.store = 'sensory' and memory.archived_at is null and memory.valid_to is null and not memory.pinned
  and memory.embedding is not null and char_length(memory.content) <= 4000;
comment on function cortex.is_consolidable(public.memories) is
  'Whether a memory may be consolidated: a live sensory one, not pinned, embedded, at most 4,000 characters.';

create function cortex.resembling(owner uuid, centre uuid, pool uuid[], wanted int) returns uuid[]
language sql stable set search_path = ''
return array(
  select n.id
  from (
    select m.id, m.embedding operator(extensions.<=>) c.embedding as distance
    from public.memories c
    join public.memories m on m.owner_id = owner and m.id = any (pool)
    where c.owner_id = owner and c.id = centre
  ) n
  where 1 - n.distance > (select cortex.setting('consolidation_similarity'))
  order by n.distance, n.id
  limit wanted);
comment on function cortex.resembling(uuid, uuid, uuid[], int) is 'Those of a pool that are similar enough to a centre, nearest first.';

create function cortex.consolidation_candidates(at timestamptz default now(), wanted int default 1000)
returns setof cortex.cluster
language plpgsql stable set search_path = ''
as $$
declare
  kin record;
  left_over uuid[];
  members uuid[];
  given int := 0;
begin
  for kin in
    select m.owner_id, m.namespace, array_agg(m.id order by m.occurred_at, m.created_at, m.id) as ids
    from public.memories m
    where m.expires_at is not null and m.archived_at is null and cortex.is_consolidable(m)
      and not exists (
        select from cortex.consolidation_claims c
        where c.owner_id = m.owner_id and c.memory_id = m.id and c.claimed_until > consolidation_candidates.at)
    group by m.owner_id, m.namespace, m.embedding_model
    having count(*) >= 2
    order by m.owner_id, m.namespace
  loop
    left_over := kin.ids[1:2000];
    while cardinality(left_over) >= 2 and given < wanted loop
      members := cortex.resembling(kin.owner_id, left_over[1], left_over[2:], cortex.setting('consolidation_sources')::int - 1);
      if cardinality(members) > 0 then
        return next row(kin.owner_id, kin.namespace, left_over[1] || members, clock_timestamp())::cortex.cluster;
        given := given + 1;
      end if;
      left_over := array(select i from unnest(left_over[2:]) with ordinality u (i, n) where i <> all (members) order by n);
    end loop;
  end loop;
end;
$$;
comment on function cortex.consolidation_candidates(timestamptz, int) is
  'The clusters that may be consolidated now, none of them claimed; at most 2,000 memories of one owner and namespace are looked at.';

-- For a worker with a language model: what it takes nobody else gets until the claim lapses.
create function cortex.claim_consolidation(wanted int, minutes int, at timestamptz) returns setof jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  c cortex.cluster;
begin
  perform pg_advisory_xact_lock(hashtextextended('pgcortex job consolidation', 0));
  for c in select k.* from cortex.consolidation_candidates(at, wanted) k loop
    insert into cortex.consolidation_claims (owner_id, memory_id, claimed_until)
    select c.owner_id, i, at + make_interval(mins => minutes) from unnest(c.memory_ids) i
    on conflict (owner_id, memory_id) do update set claimed_until = excluded.claimed_until;
    return next jsonb_build_object(
      'owner_id', c.owner_id, 'namespace', c.namespace, 'memory_ids', to_jsonb(c.memory_ids), 'seen_at', c.seen_at,
      -- A model that costs money is not asked for those whose budget is spent.
      'budget_spent', cortex.budget_spent(c.owner_id),
      'memories', (select jsonb_agg(cortex.brief(m) order by m.occurred_at, m.created_at, m.id)
                   from public.memories m where m.owner_id = c.owner_id and m.id = any (c.memory_ids)));
  end loop;
end;
$$;
comment on function cortex.claim_consolidation(int, int, timestamptz) is 'Clusters with their memories, claimed for some minutes.';

create function public.consolidation_candidates(
  match_count int default 5, claim_minutes int default 15, as_of timestamptz default null
) returns setof jsonb
language sql set search_path = ''
begin atomic
  select cortex.claim_consolidation(match_count, claim_minutes, coalesce(as_of, now()));
end;
comment on function public.consolidation_candidates is
  'For the service role: clusters to summarise, each {owner_id, namespace, memory_ids, seen_at, budget_spent, memories}, claimed for claim_minutes. Answer with apply_consolidation.';
