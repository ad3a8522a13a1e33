-- Which current memories say nearly the same? Likeness is the cosine similarity found at capture.
select l.owner_id, l.weight as likeness, l.reviewed_at, a.id, a.content, b.id as other_id, b.content as other_content
from public.memory_links l
join public.memories a on a.owner_id = l.owner_id and a.id = l.from_id
join public.memories b on b.owner_id = l.owner_id and b.id = l.to_id
where l.type = 'related' and l.weight >= (select cortex.setting('duplicate_similarity'))
  and a.archived_at is null and a.valid_to is null and b.archived_at is null and b.valid_to is null
order by l.weight desc, l.created_at
limit 200;
