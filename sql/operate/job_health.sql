-- Do the jobs run? Who runs each, how the last run went, when the next is due, and whether it is late.
select s.job, s.run_by, s.schedule, s.last_run_at, s.last_status, s.last_result, s.last_error, s.last_seconds, s.next_run_at, s.late
from cortex.job_status() s;
