-- Run now whatever job is due; for a brain without pg_cron, or to catch up by hand.
select run ->> 'job' as job, run ->> 'status' as status, run -> 'result' as result, run ->> 'error' as error
from cortex.run_due_jobs() run;
