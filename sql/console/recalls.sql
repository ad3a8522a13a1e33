-- Who recalled or used which memory, and when?
select e.at, e.actor, e.action, e.owner_id, m.id, coalesce(m.title, left(m.content, 60)) as memory
from public.memory_events e
cross join lateral jsonb_array_elements_text(e.after -> 'ids') used (id)
join public.memories m on m.owner_id = e.owner_id and m.id = used.id::uuid
where e.action in ('recall', 'use')
order by e.id desc, m.id
limit 200;
