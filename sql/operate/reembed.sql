-- Embed anew what has a vector of another model than the one searched by (setting embedding_model). Until the
-- queue has been worked off, these memories are found by their words only. Answers with how many there are.
-- For brains that only the functions can embed; elsewhere `pgcortex reembed` does all of it, and more quietly.
with queued as (
  update public.memories m
  set embedding = null, embedding_model = null, enrichment_status = 'pending', enrichment_attempts = 0,
      enrichment_next_at = null, enrichment_error = null
  where m.embedding_model <> cortex.setting_text('embedding_model')
  returning m.owner_id
)
select q.owner_id, count(*) as memories from queued q group by q.owner_id order by memories desc;
