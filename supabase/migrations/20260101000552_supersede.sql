-- What is no longer so: a newer memory takes the place of an older one, which stays, with its end.

create function cortex.link(owner uuid, from_memory uuid, to_memory uuid, link_type text, link_weight double precision)
returns void
language sql set search_path = ''
begin atomic
  insert into public.memory_links (owner_id, from_id, to_id, type, weight)
  values (owner, from_memory, to_memory, link_type, link_weight)
  on conflict (owner_id, from_id, to_id, type) do update set weight = greatest(memory_links.weight, excluded.weight)
  where memory_links.reviewed_at is null;
end;
comment on function cortex.link(uuid, uuid, uuid, text, double precision) is 'Makes or strengthens one tie.';

create function cortex.lock_memory(owner uuid, wanted uuid, field text default 'id') returns public.memories
language plpgsql set search_path = ''
as $$
declare
  m public.memories;
begin
  select * into m from public.memories r where r.owner_id = owner and r.id = wanted for no key update;
  if m.id is null and cortex.was_erased(owner, wanted) then
    perform cortex.refuse_as('410', field, 'was erased', 'there is nothing left of it; capture it anew under another id');
  elsif m.id is null then
    perform cortex.refuse_as('404', field, 'is no memory of yours', 'take the id from a search or a list');
  end if;
  return m;
end;
$$;
comment on function cortex.lock_memory(uuid, uuid, text) is
  'A memory of an owner, locked for a change; fails with 404 where there is none and with 410 where it was erased.';

create function cortex.replacements(owner uuid, memory_id uuid) returns setof uuid
language sql stable set search_path = ''
begin atomic
  with recursive later(id) as (
    select m.superseded_by from public.memories m where m.owner_id = owner and m.id = memory_id
    union
    select m.superseded_by from later l join public.memories m on m.owner_id = owner and m.id = l.id
  )
  select l.id from later l where l.id is not null;
end;
comment on function cortex.replacements(uuid, uuid) is 'Every memory that replaced this one, directly or in turn.';

-- One owner's supersessions happen one after the other: two of them at once could close a circle that
-- neither sees.
create function cortex.supersede(owner uuid, old_id uuid, new_id uuid, at timestamptz) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  old_memory public.memories;
  new_memory public.memories;
begin
  if old_id = new_id then
    perform cortex.refuse('new_id', 'is the same memory as old_id', 'name two memories');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('pgcortex supersede ' || owner, 0));
  old_memory := cortex.lock_memory(owner, old_id, 'old_id');
  new_memory := cortex.lock_memory(owner, new_id, 'new_id');
  if old_memory.superseded_by = new_id then
    return jsonb_build_object('old_id', old_id, 'new_id', new_id, 'valid_to', old_memory.valid_to, 'status', 'exists');
  elsif new_memory.archive_reason = 'forgotten' then
    perform cortex.refuse_as('409', 'new_id', 'was forgotten', 'restore it first, or choose another');
  elsif old_id in (select cortex.replacements(owner, new_id)) then
    perform cortex.refuse_as('409', 'new_id', 'was itself replaced by old_id', 'swap the two, or restore new_id first');
  end if;
  update public.memories m
  set valid_to = least(m.valid_to, at), superseded_by = new_id
  where m.owner_id = owner and m.id = old_id
  returning m.* into old_memory;
  perform cortex.link(owner, new_id, old_id, 'supersedes', 1);
  return jsonb_build_object('old_id', old_id, 'new_id', new_id, 'valid_to', old_memory.valid_to, 'status', 'superseded');
end;
$$;
comment on function cortex.supersede(uuid, uuid, uuid, timestamptz) is
  'Ends an old memory in favour of a new one; the same again changes nothing, a circle is refused with 409.';

create function cortex.supersede_own(old_id uuid, new_id uuid, at timestamptz) returns jsonb
language sql security definer set search_path = ''
begin atomic
  select cortex.supersede(cortex.current_owner(), old_id, new_id, at);
end;
comment on function cortex.supersede_own(uuid, uuid, timestamptz) is 'As cortex.supersede, for the signed-in owner.';

create function public.supersede(old_id uuid, new_id uuid, as_of timestamptz default null) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.supersede_own(old_id, new_id, coalesce(as_of, now()));
end;
comment on function public.supersede is
  'Says that new_id replaces old_id: the old memory leaves default reads and shows in why_did_we. Returns {old_id, new_id, valid_to, status: superseded | exists}.';
