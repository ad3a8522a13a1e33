-- The table of the Open Brain write-up: what inserts into it keeps working, and gets what a capture gets.
begin;
select plan(5);

select set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-00000000000a", "role": "authenticated"}', true);
set local role authenticated;

insert into public.thoughts (content, thought_type, topics, people, actions)
values ('Call Grace about the compiler', 'task', '{compilers}', '{Grace}', '{"call Grace"}')
returning id as thought \gset

select results_eq(
  $$ select content, thought_type, topics, people, actions from public.thoughts $$,
  $$ values ('Call Grace about the compiler', 'task', '{compilers}'::text[], '{Grace}'::text[], '{"call Grace"}'::text[]) $$,
  'the view shows what was inserted');
select is((select id from public.memories), :'thought'::uuid, 'a memory of that id is behind it');
select is((select strength from public.memory_activation), 1::real, 'it starts at full strength');

insert into public.thoughts (content) values ('Call Grace about the compiler') returning id as again \gset
select is(:'again'::text, :'thought', 'the same words again answer with the first id');

delete from public.thoughts where id = :'thought';
select is_empty('table public.memory_activation', 'deleting the thought takes its activation with it');

select * from finish();
rollback;
