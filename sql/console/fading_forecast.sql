-- How many memories will be archived week by week, if nobody uses them? (A null week: pinned, or an intention.)
select o.owner_id,
       date_trunc('week', case when s.fades_at < now() then now() else s.fades_at end)::date as week, count(*) as memories
from (select distinct m.owner_id from public.memories m) o
cross join lateral cortex.strengths(o.owner_id, now()) s
group by 1, 2
order by 1, 2 nulls last;
