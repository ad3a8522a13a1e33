-- The health of the jobs, and their schedule with pg_cron.

create function cortex.cron_schedules() returns table (job text, schedule text)
language plpgsql stable set search_path = ''
as $$
begin
  if to_regclass('cron.job') is not null then
    return query execute $sql$
      select substr(c.jobname, 10), c.schedule from cron.job c
      where c.jobname like 'pgcortex\_%' and c.active and c.database = current_database()
    $sql$;
  end if;
end;
$$;
comment on function cortex.cron_schedules() is 'The jobs pg_cron runs in this database; none where it is not installed.';

create function cortex.job_status(at timestamptz default now()) returns table (
  job text, description text, enabled boolean, run_by text, schedule text, last_run_at timestamptz, last_status text,
  last_result jsonb, last_error text, last_seconds double precision, next_run_at timestamptz, late boolean
)
language sql stable set search_path = ''
as $$
  select j.name, j.description, j.enabled,
         case when c.job is not null then 'pg_cron' else 'run_due_jobs' end,
         case when c.job is not null then c.schedule || ' GMT' else 'every ' || j.every end,
         l.at, l.status, l.result, l.error, extract(epoch from l.finished_at - l.started_at)::double precision,
         case when j.enabled then coalesce(g.at + j.every, job_status.at) end,
         j.enabled and coalesce(g.at < job_status.at - 2 * j.every, true)
  -- A run after this moment was given a clock that was wrong.
  from cortex.jobs j
  left join cortex.cron_schedules() c on c.job = j.name
  left join lateral (select r.* from cortex.job_runs r where r.job = j.name and r.at <= job_status.at
                     order by r.id desc limit 1) l on true
  left join lateral (select max(r.at) as at from cortex.job_runs r
                     where r.job = j.name and r.status = 'done' and r.at <= job_status.at) g on true
  order by j.place;
$$;
comment on function cortex.job_status(timestamptz) is
  'Every job: who runs it, its last run and result, when it is next due, and whether it is late (no good run within twice its interval).';

create function cortex.late_jobs(at timestamptz) returns jsonb
language sql stable set search_path = ''
return (select coalesce(jsonb_agg(jsonb_build_object('job', s.job, 'last_run_at', s.last_run_at, 'last_error', s.last_error)), '[]')
        from cortex.job_status(at) s where s.late and s.job <> 'enrichment');
comment on function cortex.late_jobs(timestamptz) is 'Jobs without a good run within twice their interval.';

create function cortex.setup_jobs() returns table (job text, outcome text)
language plpgsql set search_path = ''
as $$
declare
  j cortex.jobs;
begin
  -- Not to_regproc('cron.schedule'): there are two of that name, and then it answers null.
  if to_regclass('cron.job') is null then
    return query select o.name, 'pg_cron is not installed: call cortex.run_due_jobs() at start and hourly'::text
                 from cortex.jobs o order by o.place;
    return;
  end if;
  for j in select o.* from cortex.jobs o order by o.place loop
    job := j.name;
    if j.enabled then
      -- Two statements: the timeout of the role that schedules would end a long night early.
      execute 'select cron.schedule($1, $2, $3)'
      using 'pgcortex_' || j.name, j.schedule,
            format('set statement_timeout = ''10min''; select cortex.run_job(%L)', j.name);
      outcome := 'scheduled at ' || j.schedule || ' GMT';
    else
      execute 'select cron.unschedule(c.jobid) from cron.job c where c.jobname = $1' using 'pgcortex_' || j.name;
      outcome := 'not scheduled: disabled';
    end if;
    return next;
  end loop;
end;
$$;
comment on function cortex.setup_jobs() is
  'Schedules the jobs with pg_cron, as the role that calls it, or says what to do without. Repeating it changes nothing.';

create function cortex.own_job_status(at timestamptz) returns jsonb
language sql stable security definer set search_path = ''
return (select jsonb_agg(jsonb_build_object('job', s.job, 'description', s.description, 'enabled', s.enabled, 'run_by', s.run_by,
          'schedule', s.schedule, 'last_run_at', s.last_run_at, 'last_status', s.last_status,
          'next_run_at', s.next_run_at, 'late', s.late))
        from cortex.job_status(at) s where cortex.current_owner() is not null);
comment on function cortex.own_job_status(timestamptz) is
  'job_status for whoever is signed in, without results and errors: those count everybody''s memories.';

create function public.job_status(as_of timestamptz default null) returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.own_job_status(coalesce(as_of, now()));
end;
comment on function public.job_status is
  'The jobs of this brain: a list of {job, description, enabled, run_by, schedule, last_run_at, last_status, next_run_at, late}. Read only.';

select cortex.setup_jobs();
