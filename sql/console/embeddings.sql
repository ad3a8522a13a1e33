-- Which live memories cannot be found by meaning: without a vector, or with one of another model?
select m.owner_id, coalesce(m.embedding_model, 'no vector') as model,
       m.embedding_model = cortex.setting_text('embedding_model') as searched,
       m.enrichment_status, count(*) as memories, min(m.created_at) as oldest
from public.memories m
where m.archived_at is null
group by 1, 2, 3, 4
order by 1, memories desc;
