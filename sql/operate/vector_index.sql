-- Does the vector index fit in memory, and how much of it is about rows that are gone? An index larger than
-- shared_buffers reads from disk at every search; after much archiving a reindex makes it small again.
select pg_size_pretty(pg_relation_size('public.memories_embedding_idx')) as index_size,
       current_setting('shared_buffers') as shared_buffers,
       (select count(*) from public.memories m where m.embedding is not null and m.archived_at is null) as indexed,
       (select count(*) from public.memories m where m.embedding is not null and m.archived_at is not null) as archived,
       pg_relation_size('public.memories_embedding_idx') > pg_size_bytes(current_setting('shared_buffers')) as larger_than_buffers,
       'reindex index concurrently public.memories_embedding_idx' as to_rebuild;
