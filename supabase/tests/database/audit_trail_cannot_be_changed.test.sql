-- What was done to a memory stays on record, whoever would rather it did not.
begin;
select plan(7);

select set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-00000000000a", "role": "authenticated"}', true);
set local role authenticated;
select public.capture_thought('The boiler was serviced in March') ->> 'id' as memory \gset
update public.memories set content = 'The boiler was serviced in April' where id = :'memory';

select results_eq(
  $$ select action, actor from public.memory_events order by id $$,
  $$ values ('capture', 'authenticated'), ('update', 'authenticated') $$,
  'capture and change are on record');
select is(
  (select before ->> 'content' from public.memory_events where action = 'update'), 'The boiler was serviced in March',
  'the words before the change are on record');

select throws_ok($$ update public.memory_events set reason = 'nothing happened' $$, '42501', null, 'the owner cannot rewrite it');
select throws_ok($$ delete from public.memory_events $$, '42501', null, 'the owner cannot delete from it');
select throws_ok(
  $$ insert into public.memory_events (owner_id, action, actor) values ('00000000-0000-4000-8000-00000000000a', 'capture', 'nobody') $$,
  '42501', null, 'the owner cannot add to it');

set local role service_role;
select throws_ok($$ update public.memory_events set reason = 'nothing happened' $$, '42501', null, 'the service key cannot rewrite it');
select throws_ok($$ delete from public.memory_events $$, '42501', null, 'the service key cannot delete from it');

select * from finish();
rollback;
