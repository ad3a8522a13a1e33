-- What was forgotten, when, by whom and why? What still has words can be brought back with restore(id); of
-- what was erased only this line is left.
select e.at, e.actor, e.owner_id, e.memory_id, e.reason,
       case when m.id is null then 'erased' when m.archive_reason = 'forgotten' then 'forgotten' else 'restored since' end as state,
       coalesce(m.title, left(m.content, 60)) as memory
from public.memory_events e
left join public.memories m on m.owner_id = e.owner_id and m.id = e.memory_id
where e.action in ('forget', 'erase')
order by e.id desc
limit 200;
