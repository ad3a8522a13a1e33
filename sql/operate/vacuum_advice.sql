-- Does vacuum keep up? A table with many dead rows makes searches read them; advice is null where all is well.
select s.relname as table_name, s.n_live_tup as live, s.n_dead_tup as dead, s.last_autovacuum, s.last_autoanalyze,
       case
         when s.n_dead_tup > 1000 and s.n_dead_tup > 0.2 * s.n_live_tup then format('vacuum (analyze) %I.%I', s.schemaname, s.relname)
         when s.n_mod_since_analyze > 1000 and s.n_mod_since_analyze > 0.2 * s.n_live_tup then format('analyze %I.%I', s.schemaname, s.relname)
       end as advice
from pg_stat_user_tables s
where s.schemaname in ('public', 'cortex')
order by s.n_dead_tup desc, s.relname;
