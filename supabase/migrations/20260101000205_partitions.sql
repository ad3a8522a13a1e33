-- Where the database says so before the first migration (see sql/scale/partition.sql), memories is a table
-- of hash partitions by owner. It is still empty and nothing refers to it yet, so it is simply made again.

do $$
declare
  partitions constant int := coalesce(nullif(current_setting('pgcortex.partitions', true), ''), '0')::int;
  definition text;
  indexes text[];
begin
  if partitions < 1 then
    return;
  end if;
  select array_agg(pg_get_indexdef(i.indexrelid)) into indexes
  from pg_catalog.pg_index i where i.indrelid = 'public.memories'::regclass and not i.indisprimary;
  alter table public.memories rename to memories_whole;
  create table public.memories (like public.memories_whole including all excluding indexes) partition by hash (owner_id);
  drop table public.memories_whole;
  alter table public.memories
    add primary key (owner_id, id),
    add foreign key (owner_id, superseded_by) references public.memories (owner_id, id) on delete set null (superseded_by);
  foreach definition in array indexes loop
    execute definition;
  end loop;
  for n in 0 .. partitions - 1 loop
    execute format(
      'create table public.memories_%s partition of public.memories for values with (modulus %s, remainder %s)', n, partitions, n);
    execute format('alter table public.memories_%s enable row level security', n);
    execute format('revoke all on public.memories_%s from public, anon, authenticated, service_role', n);
    execute format('comment on table public.memories_%s is %L', n, 'A partition of memories; read and written through it alone.');
  end loop;
end;
$$;
