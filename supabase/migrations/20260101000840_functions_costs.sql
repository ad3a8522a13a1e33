-- What the model providers were asked and what it cost: one row a call, and a monthly budget an owner.

create table public.model_calls (
  id bigint generated always as identity primary key,
  owner_id uuid not null,
  memory_id uuid,
  at timestamptz not null default now(),
  purpose text not null,
  model text not null,
  input_tokens int not null default 0,
  output_tokens int not null default 0,
  cost_usd numeric(14, 8),
  constraint purpose_known check (purpose in ('embedding', 'extraction', 'consolidation')),
  constraint model_at_most_200_characters check (char_length(model) <= 200),
  constraint tokens_not_negative check (input_tokens >= 0 and output_tokens >= 0),
  constraint cost_not_negative check (cost_usd >= 0)
);
create index model_calls_owner_idx on public.model_calls (owner_id, at);
comment on table public.model_calls is 'Every call to a model provider with its tokens and estimated cost; the texts are not kept.';
comment on column public.model_calls.purpose is 'embedding, extraction or consolidation';
comment on column public.model_calls.model is 'the provider''s name of the model that answered';
comment on column public.model_calls.input_tokens is 'tokens sent, as the provider counted them';
comment on column public.model_calls.output_tokens is 'tokens answered, as the provider counted them';
comment on column public.model_calls.memory_id is 'the memory it was for; null for a search or once the memory is erased';
comment on column public.model_calls.cost_usd is 'estimate in US dollars from cortex.model_prices as it was then; null where the model has no price there';

alter table public.model_calls enable row level security;
create policy "owners read their model calls" on public.model_calls
  for select to authenticated using ((select auth.uid()) = owner_id);
revoke all on public.model_calls from public, anon, authenticated, service_role;
revoke all on sequence public.model_calls_id_seq from public, anon, authenticated, service_role;
grant select on public.model_calls to authenticated, service_role;

create table cortex.model_prices (
  model text primary key,
  input_usd double precision not null,
  output_usd double precision not null default 0,
  constraint prices_not_negative check (input_usd >= 0 and output_usd >= 0)
);
comment on table cortex.model_prices is 'List prices in US dollars per million tokens; correct them with update or insert.';
comment on column cortex.model_prices.model is 'the provider''s name of the model';
comment on column cortex.model_prices.input_usd is 'per million tokens sent';
comment on column cortex.model_prices.output_usd is 'per million tokens answered';
alter table cortex.model_prices enable row level security;
create policy "nobody reads prices through the api" on cortex.model_prices
  for select to authenticated using (false);

insert into cortex.model_prices (model, input_usd, output_usd) values
  ('text-embedding-3-small', 0.02, 0),
  ('text-embedding-3-large', 0.13, 0),
  ('text-embedding-ada-002', 0.10, 0),
  ('gpt-4o-mini',            0.15, 0.60),
  ('gpt-4o',                 2.50, 10),
  ('gpt-4.1-nano',           0.10, 0.40),
  ('gpt-4.1-mini',           0.40, 1.60),
  ('gpt-4.1',                2.00, 8);

insert into cortex.settings (key, value, description) values
  ('monthly_budget_usd', 'null', 'US dollars an owner''s model calls may cost in a calendar month (UTC), null for no limit; once spent, metadata is rule-based and summaries are extracts');

create function cortex.record_calls(of_owner uuid, of_memory uuid, calls jsonb) returns void
language sql security definer set search_path = ''
begin atomic
  insert into public.model_calls (owner_id, memory_id, purpose, model, input_tokens, output_tokens, cost_usd)
  select of_owner, of_memory, c.purpose, c.model, coalesce(c.input_tokens, 0), coalesce(c.output_tokens, 0),
    (coalesce(c.input_tokens, 0) * p.input_usd + coalesce(c.output_tokens, 0) * p.output_usd) / 1000000
  from jsonb_to_recordset(coalesce(nullif(calls, 'null'), '[]'))
    c(purpose text, model text, input_tokens int, output_tokens int)
  left join cortex.model_prices p on p.model = c.model;
end;
comment on function cortex.record_calls(uuid, uuid, jsonb) is 'Writes the calls made for a memory, a list of {purpose, model, input_tokens, output_tokens}.';

create function cortex.record_own_calls(calls jsonb) returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform cortex.record_calls(cortex.current_owner(), null, calls);
end;
$$;
comment on function cortex.record_own_calls(jsonb) is 'Writes calls that were made for the signed-in owner but for no one memory.';

create function public.record_model_calls(calls jsonb) returns void
language sql set search_path = ''
begin atomic
  select cortex.record_own_calls(cortex.unquoted(calls));
end;
comment on function public.record_model_calls(jsonb) is 'Writes calls to model providers that belong to no one memory, such as the embedding of a query.';

create function public.record_worker_calls(owner_id uuid, memory_id uuid, calls jsonb) returns void
language sql set search_path = ''
begin atomic
  select cortex.record_calls(owner_id, memory_id, cortex.unquoted(calls));
end;
comment on function public.record_worker_calls(uuid, uuid, jsonb) is
  'Writes calls to model providers made for an owner by the worker. Service role only.';

create function cortex.month_start() returns timestamptz
language sql stable set search_path = ''
return date_trunc('month', now() at time zone 'UTC') at time zone 'UTC';
comment on function cortex.month_start() is 'When the calendar month began, in UTC.';

create function cortex.month_cost(owner uuid) returns numeric
language sql stable set search_path = ''
return (select coalesce(sum(c.cost_usd), 0) from public.model_calls c
        where c.owner_id = owner and c.at >= cortex.month_start());
comment on function cortex.month_cost(uuid) is 'What an owner''s model calls of this month cost, in US dollars.';

create function cortex.budget_spent(owner uuid) returns boolean
language plpgsql stable set search_path = ''
as $$
declare
  budget constant double precision := cortex.setting('monthly_budget_usd');
begin
  -- Without a budget the month's calls need not be added up.
  return budget is not null and budget <= cortex.month_cost(owner);
end;
$$;
comment on function cortex.budget_spent(uuid) is 'Whether an owner''s monthly budget is used up.';

create function cortex.costs() returns jsonb
language sql stable security definer set search_path = ''
begin atomic
  with days as (
    select (c.at at time zone 'UTC')::date as day, count(*) as calls, sum(c.input_tokens) as input_tokens,
      sum(c.output_tokens) as output_tokens, coalesce(sum(c.cost_usd), 0) as cost_usd
    from public.model_calls c where c.owner_id = cortex.current_owner() group by 1
  )
  select jsonb_build_object(
    'calls', coalesce(sum(d.calls), 0), 'input_tokens', coalesce(sum(d.input_tokens), 0),
    'output_tokens', coalesce(sum(d.output_tokens), 0), 'cost_usd', coalesce(sum(d.cost_usd), 0),
    'month_usd', cortex.month_cost(cortex.current_owner()),
    'monthly_budget_usd', cortex.setting('monthly_budget_usd'),
    'budget_spent', cortex.budget_spent(cortex.current_owner()),
    'days', coalesce(jsonb_agg(to_jsonb(d) order by d.day desc) filter (where d.day > now()::date - 31), '[]'))
  from days d;
end;
comment on function cortex.costs() is 'Tokens and estimated cost of the signed-in owner''s model calls: totals, this month, and each of the last 31 days.';

create or replace function public.thought_stats() returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.stats() || jsonb_build_object('cost', cortex.costs());
end;
comment on function public.thought_stats() is
  'Exact totals, top topics and people, date range, counts by type, store and category, the enrichment backlog and the cost of model calls. Read only.';
