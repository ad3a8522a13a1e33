-- Ties made at capture: to what was said before it in the session, and to what it resembles.

create function cortex.link(owner uuid, from_memory uuid, to_memory uuid, link_type text, link_weight double precision)
returns void
language sql set search_path = ''
begin atomic
  insert into public.memory_links (owner_id, from_id, to_id, type, weight)
  values (owner, from_memory, to_memory, link_type, link_weight)
  on conflict (owner_id, from_id, to_id, type) do update set weight = greatest(memory_links.weight, excluded.weight);
end;
comment on function cortex.link(uuid, uuid, uuid, text, double precision) is 'Makes or strengthens one tie.';

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

create function cortex.link_related(memory public.memories) returns void
language plpgsql set search_path = ''
as $$
declare
  other record;
begin
  for other in
    select n.id, 1 - (n.embedding operator(extensions.<=>) memory.embedding) as similarity
    from unnest((cortex.nearest(memory.owner_id,
           cortex.filter_sql(memory.owner_id, jsonb_build_object('namespace', memory.namespace)),
           memory.embedding, memory.embedding_model, cortex.setting('related_count')::int + 1, false)).ids) near
    join public.memories n on n.owner_id = memory.owner_id and n.id = near
    where n.id <> memory.id
    order by similarity desc
    limit cortex.setting('related_count')::int
  loop
    if other.similarity >= cortex.setting('related_floor') then
      perform cortex.link(memory.owner_id, memory.id, other.id, 'related', least(1, other.similarity));
    end if;
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
  if memory.embedding is not null then
    perform cortex.link_related(memory);
  end if;
end;
$$;
comment on function cortex.associate(public.memories) is 'Makes the ties of a new or newly embedded memory.';
