-- How strong are the memories now? One row an owner and tenth of strength.
select o.owner_id, least(9, floor(s.strength * 10)) / 10 as from_strength, count(*) as memories
from (select distinct m.owner_id from public.memories m) o
cross join lateral cortex.strengths(o.owner_id, now()) s
group by 1, 2
order by 1, 2;
