-- What the functions and `pgcortex doctor` ask to know whether a brain is well.

create function cortex.health() returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  migration text;
begin
  if to_regclass('supabase_migrations.schema_migrations') is not null then
    execute 'select max(v.version) from supabase_migrations.schema_migrations v' into migration;
  end if;
  return (
    select jsonb_build_object(
      'migration', migration,
      'embedding_model', cortex.setting_text('embedding_model'),
      'embedding_dimensions', cortex.embedding_dimensions(),
      'pending', count(*) filter (where m.enrichment_status = 'pending'),
      'failed', count(*) filter (where m.enrichment_status = 'failed'),
      'oldest_pending', min(m.created_at) filter (where m.enrichment_status = 'pending'),
      'extensions', (select jsonb_object_agg(e.extname, e.extversion) from pg_catalog.pg_extension e))
    from public.memories m
    where m.enrichment_status <> 'done' and m.archived_at is null);
end;
$$;
comment on function cortex.health() is 'Schema version, model, extensions and backlog of the whole brain, all owners together.';

create function public.brain_health() returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.health();
end;
comment on function public.brain_health() is 'Schema version, model, extensions and the enrichment backlog of all owners. Service role only.';
