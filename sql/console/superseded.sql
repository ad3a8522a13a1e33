-- What was replaced by what, and when?
select old.owner_id, old.valid_to as ended_at, old.id, old.content, new.id as by_id, new.content as by_content
from public.memories old
left join public.memories new on new.owner_id = old.owner_id and new.id = old.superseded_by
where old.valid_to is not null
order by old.valid_to desc
limit 200;
