-- Which job runs failed lately, and why? A consolidation can also succeed with problems of single clusters.
select r.job, r.started_at, r.status, coalesce(r.error, r.result ->> 'problems') as problem
from cortex.job_runs r
where r.status = 'failed' or jsonb_array_length(coalesce(r.result -> 'problems', '[]')) > 0
order by r.id desc
limit 50;
