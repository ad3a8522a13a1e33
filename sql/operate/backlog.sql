-- What waits for enrichment, how long already, and what stopped it?
select m.owner_id, m.enrichment_status, m.enrichment_attempts, left(m.enrichment_error, 120) as last_error,
       count(*) as memories, min(m.created_at) as oldest, min(m.enrichment_next_at) as next_attempt
from public.memories m
where m.enrichment_status <> 'done' and m.archived_at is null
group by 1, 2, 3, 4
order by m.enrichment_status, memories desc;
