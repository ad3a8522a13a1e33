-- What happened to one memory, from its capture on, with every value before and after?
-- Name it first: set pgcortex.memory = '<id>'. Otherwise the one that was changed last is shown.
select e.at, e.actor, e.action, e.reason, e.before, e.after
from public.memory_events e
where e.memory_id = coalesce(
  nullif(current_setting('pgcortex.memory', true), '')::uuid,
  (select l.memory_id from public.memory_events l
   where l.before is not null and l.memory_id is not null order by l.id desc limit 1))
order by e.id;
