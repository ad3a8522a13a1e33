-- How much does each owner keep, and how much of it is archived?
select m.owner_id, count(*) as memories, count(*) filter (where m.archived_at is not null) as archived,
       pg_size_pretty(sum(pg_column_size(m.*))) as size, sum(pg_column_size(m.*)) as bytes
from public.memories m
group by m.owner_id
order by bytes desc;
