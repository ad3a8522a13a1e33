-- What do the models cost? Calls, tokens and dollars by month, owner and purpose.
select date_trunc('month', c.at)::date as month, c.owner_id, c.purpose, c.model, count(*) as calls,
       sum(c.input_tokens) as input_tokens, sum(c.output_tokens) as output_tokens, sum(c.cost_usd) as usd
from public.model_calls c
group by 1, 2, 3, 4
order by 1 desc, usd desc nulls last, calls desc;
