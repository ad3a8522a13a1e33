-- Many servers: the four tables distributed by owner with Citus, one owner's memories together on one node.
--
-- This has not been run by us: no Citus is at hand where this repository is tested. What speaks for it: owner_id
-- leads every key, every foreign key and every predicate, which is what Citus asks for, and every RPC stays on
-- one node. What stands in the way, and has to be tried first:
--   · triggers on distributed tables need citus.enable_unsafe_triggers; ours only touch rows of the same owner;
--   · the RPCs are functions over those tables and want to run where the rows are: create_distributed_function
--     with their owner as the distribution argument, which ours take from the token, so plans go through the
--     coordinator;
--   · cortex.settings, cortex.jobs and cortex.job_runs become reference tables, or every node tunes itself;
--   · foreign keys from memories to memories (superseded_by) are allowed within a shard group only;
--   · Supabase does not offer Citus.
-- Before it comes to that: read replicas, since search runs on a standby, then partition.sql.
select create_distributed_table('public.memories', 'owner_id'),
       create_distributed_table('public.memory_activation', 'owner_id', colocate_with => 'public.memories'),
       create_distributed_table('public.memory_links', 'owner_id', colocate_with => 'public.memories'),
       create_distributed_table('public.memory_events', 'owner_id', colocate_with => 'public.memories'),
       create_reference_table('cortex.settings');
