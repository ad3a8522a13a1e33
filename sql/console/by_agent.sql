-- What did each agent write? Captures, changes and forgettings by who acted, with the first and the last time.
select e.owner_id, e.actor,
       count(*) filter (where e.action = 'capture') as captured,
       count(*) filter (where e.action in ('update', 'enrich', 'supersede', 'restore', 'promote', 'archive')) as changed,
       count(*) filter (where e.action in ('forget', 'erase', 'delete')) as forgotten,
       count(*) filter (where e.action in ('recall', 'use')) as recalls,
       min(e.at) as first_at, max(e.at) as last_at
from public.memory_events e
group by e.owner_id, e.actor
order by e.owner_id, captured desc, e.actor;
