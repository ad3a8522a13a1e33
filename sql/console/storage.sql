-- What takes how much room? Tables and indexes of the brain, the largest first.
select c.oid::regclass::text as object, case c.relkind when 'r' then 'table' when 'i' then 'index' end as kind,
       pg_size_pretty(pg_relation_size(c.oid)) as size, pg_relation_size(c.oid) as bytes, c.reltuples::bigint as rows_about
from pg_class c
where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace) and c.relkind in ('r', 'i')
order by bytes desc, object
limit 30;
