-- (Re)schedule the jobs with pg_cron, after installing it or after a change of cortex.jobs.
select s.job, s.outcome from cortex.setup_jobs() s;
