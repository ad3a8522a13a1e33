-- Cases C42 and C43: the public key alone opens nothing, by table or by function.
begin;
select plan(7);

set local role anon;
select set_config('request.jwt.claims', '{"role": "anon"}', true);

select throws_ok('table public.memories', '42501', null, 'anon cannot read memories');
select throws_ok('table public.thoughts', '42501', null, 'anon cannot read thoughts');
select throws_ok(
  $$ insert into public.memories (owner_id, content) values ('00000000-0000-4000-8000-00000000000a', 'planted') $$,
  '42501', null, 'anon cannot insert a memory');
select throws_ok($$ insert into public.thoughts (content) values ('planted') $$, '42501', null, 'anon cannot insert a thought');
select throws_ok($$ select public.capture_thought('planted') $$, '42501', null, 'anon cannot capture');
select throws_ok($$ select * from public.search_thoughts(query_text => 'key') $$, '42501', null, 'anon cannot search');
select throws_ok($$ select * from cortex.search(null, null, 10, 'key', '{}', '{}') $$, '42501', null, 'anon cannot reach the core');

select * from finish();
rollback;
