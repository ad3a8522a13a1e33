-- Case C40: two owners in one database; whatever the second one tries, the first one's memories are not there.
begin;
select plan(12);

select set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-00000000000a", "role": "authenticated"}', true);
set local role authenticated;
select public.capture_thought('Ada keeps the spare key under the blue pot') ->> 'id' as memory \gset
select public.capture_thought('Ada moved the spare key to the shed') ->> 'id' as other \gset
insert into public.memory_links (from_id, to_id, type) values (:'memory', :'other', 'related');
select is((select count(*) from public.memories), 2::bigint, 'the owner sees both memories');

select set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-00000000000b", "role": "authenticated"}', true);

select is_empty('table public.memories', 'a stranger reads no memory');
select is_empty('table public.thoughts', 'a stranger reads no thought');
select is_empty('table public.memory_activation', 'a stranger reads no activation');
select is_empty('table public.memory_links', 'a stranger reads no link');
select is_empty('table public.memory_events', 'a stranger reads no audit event');
select is_empty($$ select * from public.search_thoughts(query_text => 'spare key') $$, 'a stranger finds nothing');
select is_empty($$ select * from public.list_thoughts() $$, 'a stranger lists nothing');
select is((public.thought_stats() ->> 'total')::int, 0, 'a stranger counts nothing');

select is_empty(
  $$ update public.memories set content = 'taken' where true returning id $$, 'a stranger changes nothing');
select is_empty($$ delete from public.memories where true returning id $$, 'a stranger deletes nothing');
select throws_ok(
  $$ insert into public.memories (owner_id, content) values ('00000000-0000-4000-8000-00000000000a', 'planted') $$,
  '42501', null, 'a stranger cannot write in the owner''s name');

select * from finish();
rollback;
