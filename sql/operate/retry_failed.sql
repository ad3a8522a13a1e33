-- Give what enrichment gave up another chance. Answers with what goes back to the queue.
update public.memories m
set enrichment_status = 'pending', enrichment_attempts = 0, enrichment_next_at = null, enrichment_error = null
where m.enrichment_status = 'failed' and m.archived_at is null
returning m.owner_id, m.id, left(m.content, 60) as memory;
