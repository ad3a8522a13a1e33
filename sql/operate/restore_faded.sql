-- Bring back what faded within the last week, for everybody, as strong as new; for instance after a decay rate
-- that was set too high. Words that are live again already are left alone.
with back as (
  update public.memories m
  set archived_at = null, archive_reason = null
  where m.archive_reason = 'faded' and m.archived_at > now() - interval '7 days' and m.valid_to is null
    and not exists (
      select from public.memories r
      where r.owner_id = m.owner_id and r.namespace = m.namespace and r.content_hash = m.content_hash
        and r.archived_at is null and r.valid_to is null)
  returning m.owner_id, m.id, m.content
),
strong as (
  update public.memory_activation a set strength = 1, last_accessed_at = now()
  from back b
  where a.owner_id = b.owner_id and a.memory_id = b.id
)
select b.owner_id, b.id, left(b.content, 60) as memory from back b order by b.owner_id, b.id;
