-- Who did what, most recently? The audit trail as a person reads it; the words are those the memory has now.
select e.at, e.actor, e.action, e.reason, e.owner_id, e.memory_id, coalesce(m.title, left(m.content, 60)) as memory
from public.memory_events e
left join public.memories m on m.owner_id = e.owner_id and m.id = e.memory_id
order by e.id desc
limit 100;
