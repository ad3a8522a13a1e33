-- What a copy of the memories outside the database has to ask: which of mine must not come back?

create function public.forgotten_among(ids uuid[]) returns setof uuid
language sql stable set search_path = ''
begin atomic
  select distinct wanted.id
  from unnest(ids) wanted (id)
  left join public.memories m on m.owner_id = (select auth.uid()) and m.id = wanted.id
  where m.archive_reason = 'forgotten'
     or m.id is null and exists (
       select from public.memory_events e
       where e.owner_id = (select auth.uid()) and e.memory_id = wanted.id and e.action in ('erase', 'delete'));
end;
comment on function public.forgotten_among(uuid[]) is
  'Of these ids, those whose memory the signed-in owner forgot, erased or deleted; an id that was never stored is not among them. Read only.';

revoke all on function public.forgotten_among(uuid[]) from public, anon, authenticated, service_role;
grant execute on function public.forgotten_among(uuid[]) to authenticated, service_role;

notify pgrst, 'reload schema';
