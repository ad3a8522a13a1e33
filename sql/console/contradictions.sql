-- Which current memories contradict each other? Those without reviewed_at wait for a person: see resolve_review.
select l.owner_id, l.reviewed_at, l.created_at as noticed_at, a.occurred_at, a.id, a.content,
       b.occurred_at as other_occurred_at, b.id as other_id, b.content as other_content
from public.memory_links l
join public.memories a on a.owner_id = l.owner_id and a.id = l.from_id
join public.memories b on b.owner_id = l.owner_id and b.id = l.to_id
where l.type = 'contradicts'
  and a.archived_at is null and a.valid_to is null and b.archived_at is null and b.valid_to is null
order by l.reviewed_at nulls first, l.created_at desc
limit 200;
