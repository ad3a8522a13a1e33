-- Case C37: saying the same thing again is no second memory, for one owner; for another owner it is a first one.
begin;
select plan(5);

select set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-00000000000a", "role": "authenticated"}', true);
set local role authenticated;
select answer ->> 'id' as first, answer ->> 'status' as first_status
from public.capture_thought('We chose Postgres over a vector store') answer \gset
select answer ->> 'id' as again, answer ->> 'status' as again_status
from public.capture_thought('  We chose Postgres over a vector store ') answer \gset

select is(:'first_status'::text, 'created', 'the first time it is created');
select is(:'again_status'::text, 'exists', 'the second time it exists');
select is(:'again'::text, :'first', 'both answers name the same memory');
select is((select count(*) from public.memories), 1::bigint, 'there is one row');

select set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-00000000000b", "role": "authenticated"}', true);
select is(
  public.capture_thought('We chose Postgres over a vector store') ->> 'status', 'created',
  'another owner''s memory of the same words is their own');

select * from finish();
rollback;
