-- Many owners, one server: memories in hash partitions by owner, so that each partition has a vector index of
-- its own, small enough to stay in memory, and vacuum and reindex work on a part at a time.
--
-- When: above some ten million memories. Below that a single table is simpler and as fast, because every
-- search carries its owner and a small owner is scanned exactly.
--
-- How: functions are bound to the type of the table they were made with, so a brain is partitioned when it is
-- made, not afterwards. In an empty database run this statement, reconnect, apply the migrations (`supabase db
-- push`, or `pgcortex up`), and load the data of the old brain:
--
--   pg_dump --data-only --disable-triggers -t 'public.memor*' -t cortex.settings … | psql …
--
-- (settings only after `truncate cortex.settings`). It is a choice for good: the number of partitions cannot
-- be changed without another such move. 16 suits up to some hundred million memories.
do $$
begin
  execute format('alter database %I set pgcortex.partitions = 16', current_database());
end;
$$;
