-- What is used most? And with `order by a.access_count, m.created_at`: what is never used?
select m.owner_id, a.access_count, a.last_accessed_at, m.store, m.id, coalesce(m.title, left(m.content, 60)) as memory
from public.memories m
join public.memory_activation a on a.owner_id = m.owner_id and a.memory_id = m.id
where m.archived_at is null and m.valid_to is null
order by a.access_count desc, a.last_accessed_at desc
limit 50;
