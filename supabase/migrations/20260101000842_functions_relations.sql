-- What a new memory does to older ones, as an extractor judged it.

create function cortex.relate(memory public.memories, relations jsonb) returns void
language plpgsql set search_path = ''
as $$
declare
  r record;
  older public.memories;
  replaced boolean := false;
begin
  for r in
    select x.id, x.relation from jsonb_to_recordset(coalesce(nullif(relations, 'null'), '[]')) x(id uuid, relation text) limit 20
  loop
    select * into older from public.memories m
    where m.owner_id = memory.owner_id and m.namespace = memory.namespace and m.id = r.id
      and m.id <> memory.id and m.archived_at is null;
    continue when older.id is null;
    perform cortex.link(memory.owner_id, memory.id, older.id,
      case when r.relation in ('supersedes', 'contradicts') then r.relation else 'related' end,
      case when r.relation in ('supersedes', 'contradicts', 'duplicates') then 1 else 0.6 end);
    -- A judgement may be wrong, so it ends at most one memory, never a pinned or a later one. The old one stays
    -- readable, and the tie says why.
    if r.relation = 'supersedes' and not replaced and older.valid_to is null and not older.pinned
       and older.occurred_at <= memory.occurred_at and memory.archived_at is null
       and older.id not in (select cortex.replacements(memory.owner_id, memory.id)) then
      perform cortex.supersede(memory.owner_id, older.id, memory.id, now());
      replaced := true;
    end if;
  end loop;
end;
$$;
comment on function cortex.relate(public.memories, jsonb) is
  'Ties a memory to older ones of its owner and namespace by a list of {id, relation: duplicates | supersedes | contradicts | relates}.';
