-- Jobs: what happens by itself, when it last happened and when it will next. pg_cron runs them where it
-- is installed; elsewhere somebody calls cortex.run_due_jobs() now and then. Either way a job that was
-- missed is caught up by one run, because every job works from the clock it is given.

create table cortex.jobs (
  name text primary key,
  place int not null,
  every interval not null,
  schedule text not null,
  enabled boolean not null default true,
  description text not null,
  constraint every_positive check (every > interval '0')
);
comment on table cortex.jobs is 'The jobs of this brain. After a change run: select * from cortex.setup_jobs()';
comment on column cortex.jobs.name is 'what cortex.run_job() calls it; pg_cron knows it as pgcortex_<name>';
comment on column cortex.jobs.place is 'order in which due jobs run: consolidation before the clean-up of what it left';
comment on column cortex.jobs.every is 'time from one run to the next, for cortex.run_due_jobs()';
comment on column cortex.jobs.schedule is 'the same for pg_cron, whose clock is GMT';

create table cortex.job_runs (
  id bigint generated always as identity primary key,
  job text not null references cortex.jobs (name) on delete cascade,
  at timestamptz not null,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  status text not null,
  result jsonb,
  error text,
  constraint status_known check (status in ('done', 'failed'))
);
create index job_runs_job_idx on cortex.job_runs (job, id desc);
comment on table cortex.job_runs is 'The latest runs of every job, a hundred each.';
comment on column cortex.jobs.enabled is 'a disabled job is not scheduled, never due and never late';
comment on column cortex.job_runs.job is 'which job';
comment on column cortex.job_runs.at is 'the clock the job was given';
comment on column cortex.job_runs.started_at is 'the clock on the wall';
comment on column cortex.job_runs.finished_at is 'the clock on the wall, once the work was done';
comment on column cortex.job_runs.status is 'done or failed';
comment on column cortex.job_runs.result is 'what it did, in numbers';
comment on column cortex.job_runs.error is 'why it failed';

alter table cortex.jobs enable row level security;
alter table cortex.job_runs enable row level security;
create policy "nobody reads jobs through the api" on cortex.jobs for select to authenticated using (false);
create policy "nobody reads job runs through the api" on cortex.job_runs for select to authenticated using (false);

insert into cortex.jobs (name, place, every, schedule, description) values
  ('consolidation', 1, '12 hours', '0 */12 * * *', 'merges sensory memories of one subject into an episodic one'),
  ('cleanup',       2, '1 day',    '30 0 * * *',   'archives expired sensory memories, and erases what retention settings say'),
  ('decay',         3, '1 day',    '45 0 * * *',   'archives what has faded'),
  ('promotion',     4, '1 day',    '50 0 * * *',   'makes what is used often and believed firmly semantic'),
  ('enrichment',    5, '1 minute', '* * * * *',    'wakes the enrichment function where pg_net is installed');

create function cortex.kick_enrichment() returns jsonb
language sql set search_path = ''
return jsonb_build_object('kicked', false, 'reason', 'no enrichment function is configured');
comment on function cortex.kick_enrichment() is 'Asks the enrichment function to empty the queue, where there is one.';

create function cortex.do_job(job_name text, at timestamptz) returns jsonb
language plpgsql set search_path = ''
as $$
begin
  return case job_name
    when 'consolidation' then cortex.consolidate(at)
    when 'cleanup' then cortex.clean_up(at)
    when 'decay' then jsonb_build_object('archived', cortex.archive_faded(at))
    when 'promotion' then jsonb_build_object('promoted', cortex.promote(at))
    when 'enrichment' then cortex.kick_enrichment()
  end;
end;
$$;
comment on function cortex.do_job(text, timestamptz) is 'The work of a job, by its name.';

-- A failure is recorded instead of raised, so that it is seen where runs are looked for, and the next
-- run tries again.
create function cortex.run_job(job_name text, at timestamptz default now()) returns jsonb
language plpgsql set search_path = ''
as $$
declare
  started constant timestamptz := clock_timestamp();
  result jsonb;
  problem text;
begin
  if not exists (select from cortex.jobs j where j.name = job_name) then
    perform cortex.refuse('job_name', format('%s is no job', job_name), 'select name from cortex.jobs');
  elsif not pg_try_advisory_xact_lock(hashtextextended('pgcortex job ' || job_name, 0)) then
    return jsonb_build_object('job', job_name, 'status', 'running elsewhere');
  end if;
  begin
    result := cortex.do_job(job_name, at);
  exception when query_canceled or others then  -- others alone leaves out a timeout
    get stacked diagnostics problem = message_text;
  end;
  insert into cortex.job_runs (job, at, started_at, finished_at, status, result, error)
  values (job_name, run_job.at, started, clock_timestamp(),
          case when problem is null then 'done' else 'failed' end, result, problem);
  delete from cortex.job_runs r
  where r.job = job_name
    and r.id <= (select o.id from cortex.job_runs o where o.job = job_name order by o.id desc offset 100 limit 1);
  return jsonb_build_object('job', job_name, 'status', case when problem is null then 'done' else 'failed' end,
    'result', result, 'error', problem);
end;
$$;
comment on function cortex.run_job(text, timestamptz) is
  'Runs a job unless it is running elsewhere, and records how it went. Answers {job, status: done | failed | running elsewhere, result, error}.';

create function cortex.run_due_jobs(at timestamptz default now()) returns setof jsonb
language plpgsql set search_path = ''
as $$
declare
  due text;
begin
  for due in
    select j.name from cortex.jobs j
    where j.enabled and not exists (
      select from cortex.job_runs r
      where r.job = j.name and r.status = 'done' and r.at > run_due_jobs.at - j.every and r.at <= run_due_jobs.at)
    order by j.place
  loop
    return next cortex.run_job(due, at);
  end loop;
end;
$$;
comment on function cortex.run_due_jobs(timestamptz) is
  'Runs every job whose last good run is older than its interval; for a brain without pg_cron. Answers one verdict a job.';
