-- How is this brain tuned? Change one with: update cortex.settings set value = '…' where key = '…'
select s.key, s.value, s.minimum, s.maximum, s.description from cortex.settings s order by s.key;
