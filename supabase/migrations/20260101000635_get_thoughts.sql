-- Reading memories by their ids.

create function cortex.get(ids uuid[]) returns setof public.thought_row
language plpgsql stable security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
begin
  if cardinality(ids) > 1000 then
    perform cortex.refuse('ids', 'are more than 1,000', 'ask in parts');
  end if;
  return query
  select m.id, m.content, m.title, m.thought_type, m.topics, m.people, m.actions, m.store, m.category, m.tags, m.source,
         m.confidence, m.valence, m.arousal, m.pinned, m.metadata, m.namespace, m.session_id, m.occurred_at, m.created_at,
         m.updated_at, m.due_at, m.valid_to, m.superseded_by, m.archived_at, m.archive_reason, m.extractor, m.enrichment_status,
         to_char(m.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '/' || m.id
  from unnest(ids) with ordinality as wanted (id, place)
  join public.memories m on m.owner_id = owner and m.id = wanted.id
  where m.archive_reason is distinct from 'forgotten'
  order by wanted.place;
end;
$$;
comment on function cortex.get(uuid[]) is 'Memories of the signed-in owner by id, archived and superseded ones too; never forgotten ones.';

create function public.get_thoughts(ids uuid[]) returns setof public.thought_row
language sql stable set search_path = ''
begin atomic
  select g.* from cortex.get(ids) g;
end;
comment on function public.get_thoughts(uuid[]) is
  'Memories by their ids, in that order, whole; archived and superseded ones too. What is not there, forgotten or another owner''s is left out. Read only.';
