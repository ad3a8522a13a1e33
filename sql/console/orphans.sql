-- What hangs in the air? Every row is a finding; a sound brain answers with none.
select m.owner_id, m.id, 'no activation: strength cannot be told' as finding
from public.memories m
where not exists (select from public.memory_activation a where a.owner_id = m.owner_id and a.memory_id = m.id)
union all
select m.owner_id, m.id, 'archived as consolidated, but part of nothing'
from public.memories m
where m.archive_reason = 'consolidated' and cardinality(cortex.summaries_of(m.owner_id, m.id)) = 0
union all
select m.owner_id, m.id, 'a consolidation of fewer than two sources'
from public.memories m
where m.metadata ->> 'kind' = 'consolidation' and m.archive_reason is distinct from 'forgotten'
  and cardinality(cortex.sources_of(m.owner_id, m.id)) < 2
union all
select m.owner_id, m.id, 'replaced by a memory that was itself forgotten'
from public.memories m
join public.memories n on n.owner_id = m.owner_id and n.id = m.superseded_by
where n.archive_reason = 'forgotten' and m.archived_at is null
union all
select m.owner_id, m.id, 'ended, but what replaced it is gone'
from public.memories m
where m.valid_to is not null and m.superseded_by is null and m.archived_at is null
union all
select m.owner_id, m.id, 'its search vector is not that of its words: select cortex.reindex_text()'
from public.memories m
where m.content_hash <> cortex.content_hash(m.content)
order by 3, 1, 2;
