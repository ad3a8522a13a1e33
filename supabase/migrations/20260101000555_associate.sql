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

create function cortex.suspect(memory public.memories, other_id uuid, similarity double precision) returns void
language plpgsql set search_path = ''
as $$
begin
  -- What already replaced the other settles the matter.
  if other_id not in (select l.to_id from public.memory_links l
                      where l.owner_id = memory.owner_id and l.from_id = memory.id and l.type = 'supersedes') then
    perform cortex.link(memory.owner_id, memory.id, other_id, 'contradicts', least(1, similarity));
  end if;
end;
$$;
comment on function cortex.suspect(public.memories, uuid, double precision) is
  'Puts a suspected contradiction on the review queue: an unreviewed contradicts link.';

-- The later statement holds. Only a reversal word for word is acted on, and never against a pinned memory.
create function cortex.reverse_statements(memory public.memories) returns void
language plpgsql set search_path = ''
as $$
declare
  other public.memories;
begin
  for other in select s.* from cortex.same_words(memory) s where cortex.opposes(memory.content, s.content) loop
    if cortex.core_words(other.content) <> cortex.core_words(memory.content) or other.pinned or memory.pinned then
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
  'Supersedes the statements that this one reverses; the same words in another order, or a pinned memory, go to review.';

create function cortex.link_related(memory public.memories) returns void
language plpgsql set search_path = ''
as $$
declare
  ids uuid[];
  similarities double precision[];
  other record;
begin
  select array_agg(n.id order by n.distance, n.id), array_agg(1 - n.distance order by n.distance, n.id)
  into ids, similarities
  from (
    select near.id, near.distance
    from cortex.nearest(memory.owner_id,
           cortex.filter_sql(memory.owner_id, jsonb_build_object('namespace', memory.namespace)),
           memory.embedding, memory.embedding_model, cortex.setting('related_count')::int + 1, false,
           -- A capture is not worth the whole effort of a search.
           effort => 0.2) n,
         unnest(n.ids, n.distances) near (id, distance)
    where near.id <> memory.id
    order by near.distance, near.id
    limit cortex.setting('related_count')::int
  ) n;
  insert into public.memory_links as l (owner_id, from_id, to_id, type, weight)
  select memory.owner_id, memory.id, n.id, 'related', least(1, n.similarity)
  from unnest(ids, similarities) n (id, similarity)
  where n.similarity >= cortex.setting('related_floor')
  on conflict on constraint memory_links_pkey do update set weight = greatest(l.weight, excluded.weight);

  if not cortex.is_statement(memory.content) then
    return;
  end if;
  -- By key: a join with the list may be planned as a scan of all that the owner has.
  for other in
    select m.id, 1 - (m.embedding operator(extensions.<=>) memory.embedding) as similarity
    from public.memories m
    where m.owner_id = memory.owner_id and m.id = any (ids)
      and 1 - (m.embedding operator(extensions.<=>) memory.embedding) >= cortex.setting('contradiction_similarity')
      and cortex.is_statement(m.content) and cortex.opposes(memory.content, m.content)
  loop
    perform cortex.suspect(memory, other.id, other.similarity);
  end loop;
end;
$$;
comment on function cortex.link_related(public.memories) is 'Ties a memory to the nearest ones of its namespace above the related floor.';

create function cortex.associate(memory public.memories) returns void
language plpgsql set search_path = ''
as $$
begin
  if memory.session_id is not null then
    perform cortex.link_session(memory);
  end if;
  perform cortex.reverse_statements(memory);
  if memory.embedding is not null then
    perform cortex.link_related(memory);
  end if;
end;
$$;
comment on function cortex.associate(public.memories) is 'Makes the ties of a new or newly embedded memory.';
