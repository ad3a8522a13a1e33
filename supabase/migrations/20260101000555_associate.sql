-- Ties made at capture: to what was said before it in the session, to what it resembles, and to what it
-- seems to contradict.

create function cortex.link_session(memory public.memories) returns void
language plpgsql set search_path = ''
as $$
declare
  previous constant uuid := cortex.previous_in_session(memory);
  next constant uuid := cortex.next_in_session(memory);
begin
  if previous is not null then
    perform cortex.link(memory.owner_id, memory.id, previous, 'follows', 1);
  end if;
  if next is not null then
    perform cortex.link(memory.owner_id, next, memory.id, 'follows', 1);
  end if;
end;
$$;
comment on function cortex.link_session(public.memories) is 'Ties a memory to its neighbours in the session.';

create function cortex.is_reviewed(owner uuid, one uuid, other uuid, link_type text) returns boolean
language sql stable set search_path = ''
return exists (
  select from public.memory_links l
  where l.owner_id = owner and l.type = link_type and l.reviewed_at is not null
    and (l.from_id = one and l.to_id = other or l.from_id = other and l.to_id = one));
comment on function cortex.is_reviewed(uuid, uuid, uuid, text) is 'Whether a person settled such a tie between two memories, whichever way round it was made.';

create function cortex.suspect(memory public.memories, other_id uuid, similarity double precision) returns void
language plpgsql set search_path = ''
as $$
begin
  -- What already replaced the other, or a person's verdict, settles the matter.
  if other_id not in (select l.to_id from public.memory_links l
                      where l.owner_id = memory.owner_id and l.from_id = memory.id and l.type = 'supersedes')
     and not cortex.is_reviewed(memory.owner_id, memory.id, other_id, 'contradicts') then
    perform cortex.link(memory.owner_id, memory.id, other_id, 'contradicts', least(1, similarity));
  end if;
end;
$$;
comment on function cortex.suspect(public.memories, uuid, double precision) is
  'Puts a suspected contradiction on the review queue: an unreviewed contradicts link.';

-- The later statement holds. Only a reversal word for word is acted on, never against a pinned memory, and
-- not where the two may speak of different people or different days: those a person reviews.
create function cortex.reverse_statements(memory public.memories) returns void
language plpgsql set search_path = ''
as $$
declare
  other public.memories;
begin
  for other in select s.* from cortex.same_words(memory) s where cortex.opposes(memory.content, s.content) loop
    if other.pinned or memory.pinned or cortex.is_of_a_day(memory.content)
       or cortex.core_words(other.content) <> cortex.core_words(memory.content)
       or not (other.people <@ memory.people and memory.people <@ other.people) then
      perform cortex.suspect(memory, other.id, 1);
    elsif (memory.occurred_at, memory.created_at) >= (other.occurred_at, other.created_at) then
      perform cortex.supersede(memory.owner_id, other.id, memory.id, memory.created_at);
    else
      perform cortex.supersede(memory.owner_id, memory.id, other.id, memory.created_at);
      return;
    end if;
  end loop;
end;
$$;
comment on function cortex.reverse_statements(public.memories) is
  'Supersedes the statements that this one reverses; what may only seem to be a reversal goes to review.';

create function cortex.nearest_kin(memory public.memories, out ids uuid[], out similarities double precision[])
language plpgsql stable set search_path = ''
as $$
declare
  wanted constant int := cortex.setting('related_count');
  condition constant text := cortex.filter_sql(memory.owner_id, jsonb_build_object('namespace', memory.namespace));
  near record;
begin
  -- A capture is not worth the whole effort of a search.
  near := cortex.nearest(memory.owner_id, condition, memory.embedding, memory.embedding_model, wanted + 1, false, effort => 0.15);
  -- The everyday scan of the vector index knows the owner, not the namespace.
  if near.plan = 'hnsw' and exists (select from public.memories m
     where m.owner_id = memory.owner_id and m.id = any (near.ids) and m.namespace <> memory.namespace) then
    near := cortex.nearest(memory.owner_id, condition, memory.embedding, memory.embedding_model, wanted + 1, true, effort => 0.15);
  end if;
  select array_agg(n.id order by n.distance, n.id), array_agg(1 - n.distance order by n.distance, n.id)
  into ids, similarities
  from (
    select u.id, u.distance from unnest(near.ids, near.distances) u (id, distance)
    where u.id <> memory.id order by u.distance, u.id limit wanted
  ) n;
end;
$$;
comment on function cortex.nearest_kin(public.memories) is
  'Ids and similarities of the related_count memories of its namespace that are nearest to a memory.';

create function cortex.link_related(memory public.memories) returns void
language plpgsql set search_path = ''
as $$
declare
  kin record;
  settled uuid[];
  other record;
begin
  if memory.embedding is null or memory.archived_at is not null or memory.valid_to is not null then
    return;
  end if;
  kin := cortex.nearest_kin(memory);
  -- A pair that a person settled stays so, whichever way round it was linked.
  settled := array(
    select r.from_id from public.memory_links r
    where r.owner_id = memory.owner_id and r.to_id = memory.id and r.type = 'related' and r.reviewed_at is not null);
  insert into public.memory_links as l (owner_id, from_id, to_id, type, weight)
  select memory.owner_id, memory.id, n.id, 'related', least(1, n.similarity)
  from unnest(kin.ids, kin.similarities) n (id, similarity)
  where n.similarity >= cortex.setting('related_floor')
    and n.id <> all (settled)
  on conflict on constraint memory_links_pkey do update set weight = greatest(l.weight, excluded.weight)
  where l.reviewed_at is null;

  if not cortex.is_statement(memory.content) then
    return;
  end if;
  -- By key: a join with the list may be planned as a scan of all that the owner has.
  for other in
    select m.id, 1 - (m.embedding operator(extensions.<=>) memory.embedding) as similarity
    from public.memories m
    where m.owner_id = memory.owner_id and m.id = any (kin.ids)
      and 1 - (m.embedding operator(extensions.<=>) memory.embedding) >= cortex.setting('contradiction_similarity')
      and cortex.is_statement(m.content) and cortex.opposes(memory.content, m.content)
  loop
    perform cortex.suspect(memory, other.id, other.similarity);
  end loop;
end;
$$;
comment on function cortex.link_related(public.memories) is
  'Ties a newly embedded memory to the nearest ones of its namespace above the related floor, and puts what they seem to contradict on the review queue.';

create function cortex.associate(memory public.memories) returns void
language plpgsql set search_path = ''
as $$
begin
  if memory.session_id is not null then
    perform cortex.link_session(memory);
  end if;
  if memory.archived_at is null and memory.valid_to is null then
    perform cortex.reverse_statements(memory);
  end if;
  perform cortex.link_related(memory);
end;
$$;
comment on function cortex.associate(public.memories) is
  'Makes the ties of a memory with new words. A vector that comes later only calls cortex.link_related: what was said did not change.';
