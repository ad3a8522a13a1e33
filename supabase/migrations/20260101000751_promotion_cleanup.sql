-- Promotion: what is used often, believed firmly and no longer new has become knowledge. Clean-up: the
-- sensory store is a buffer, and what nobody wanted leaves it.

create function cortex.promote(at timestamptz default now()) returns bigint
language plpgsql set search_path = ''
as $$
declare
  promoted bigint;
begin
  with ripe as (
    select m.owner_id, m.id
    from public.memory_activation a
    join public.memories m on m.owner_id = a.owner_id and m.id = a.memory_id
    where a.access_count >= (select cortex.setting('promote_accesses'))
      and m.store = 'episodic' and m.archived_at is null and m.valid_to is null
      and m.confidence >= (select cortex.setting('promote_confidence'))
      and m.created_at <= promote.at - (select cortex.setting('promote_age_days')) * interval '1 day'
    order by m.owner_id, m.id
    for no key update of m skip locked
  )
  update public.memories m set store = 'semantic'
  from ripe r
  where m.owner_id = r.owner_id and m.id = r.id;
  get diagnostics promoted = row_count;
  return promoted;
end;
$$;
comment on function cortex.promote(timestamptz) is
  'Makes episodic memories semantic by use, confidence and age (settings promote_…); each is logged as promote. Answers how many.';

create function cortex.expire_sensory(at timestamptz) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  outcome jsonb;
begin
  with expired as (
    select m.owner_id, m.id, a.access_count >= (select cortex.setting('keep_sensory_accesses')) as used
    from public.memories m
    join public.memory_activation a on a.owner_id = m.owner_id and a.memory_id = m.id
    where m.expires_at <= expire_sensory.at and m.archived_at is null and m.store = 'sensory' and not m.pinned
    order by m.owner_id, m.id
    for no key update of m skip locked
  ),
  settled as (
    update public.memories m
    set store = case when e.used then 'episodic' else m.store end,
        archived_at = case when not e.used then expire_sensory.at end,
        archive_reason = case when not e.used then 'expired' end
    from expired e
    where m.owner_id = e.owner_id and m.id = e.id
    returning e.used
  )
  select jsonb_build_object('expired', count(*) filter (where not s.used), 'kept', count(*) filter (where s.used))
  into outcome from settled s;
  return outcome;
end;
$$;
comment on function cortex.expire_sensory(timestamptz) is
  'Archives sensory memories past their time; one that was used becomes episodic instead. Answers {expired, kept}.';

create function cortex.purge_archived(at timestamptz) returns bigint
language plpgsql set search_path = ''
as $$
declare
  m public.memories;
  purged bigint := 0;
begin
  if cortex.setting('retention_archived_days') is null then
    return 0;
  end if;
  for m in
    select r.* from public.memories r
    where r.archived_at < purge_archived.at - (select cortex.setting('retention_archived_days')) * interval '1 day'
      -- A source stays as long as the summary that was made from it.
      and not (r.archive_reason = 'consolidated' and cardinality(cortex.summaries_of(r.owner_id, r.id)) > 0)
    order by r.owner_id, r.id
    limit 10000
    for update skip locked
  loop
    perform cortex.erase(m, 'retention', at);
    purged := purged + 1;
  end loop;
  return purged;
end;
$$;
comment on function cortex.purge_archived(timestamptz) is
  'Erases for good what was archived longer ago than retention_archived_days; nothing while that is null. Answers how many.';

create function cortex.clear_cron_log(at timestamptz) returns bigint
language plpgsql set search_path = ''
as $$
declare
  cleared bigint := 0;
begin
  if to_regclass('cron.job_run_details') is not null and cortex.setting('retention_job_log_days') is not null then
    execute 'delete from cron.job_run_details d where d.end_time < $1'
    using at - cortex.setting('retention_job_log_days') * interval '1 day';
    get diagnostics cleared = row_count;
  end if;
  return cleared;
end;
$$;
comment on function cortex.clear_cron_log(timestamptz) is
  'Deletes pg_cron''s log older than retention_job_log_days; nothing while that is null or where there is no pg_cron.';

create function cortex.clean_up(at timestamptz default now()) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.expire_sensory(at)
    || jsonb_build_object('purged', cortex.purge_archived(at), 'cron_log_cleared', cortex.clear_cron_log(at));
end;
comment on function cortex.clean_up(timestamptz) is 'The clean-up job: {expired, kept, purged, cron_log_cleared}.';
