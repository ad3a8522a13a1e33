-- A vector that cannot be compared must not be stored, nor searched for: a zero vector would come first everywhere.
begin;
select plan(5);

select cortex.embedding_dimensions() as n \gset
select translate(array_fill(0, array[:n])::text, '{}', '[]') as zero,
       translate(array_fill(1, array[:n])::text, '{}', '[]') as good \gset

select set_config('request.jwt.claims', '{"sub": "00000000-0000-4000-8000-00000000000a", "role": "authenticated"}', true);
set local role authenticated;

select throws_ok($$ select public.capture_thought('too short', embedding => '[1,2,3]') $$, 'PT400', null, 'a short vector is refused');
select throws_ok(
  format($$ select public.capture_thought('all zero', embedding => %L) $$, :'zero'), 'PT400', null, 'a zero vector is refused');
select throws_ok(
  $$ select * from public.search_thoughts(query_embedding => '[1,2,3]') $$, 'PT400', null, 'a search with a short vector is refused');
select throws_ok(
  format($$ select * from public.search_thoughts(query_embedding => %L) $$, :'zero'), 'PT400', null, 'a search with a zero vector is refused');
select lives_ok(
  format($$ select public.capture_thought('fine', embedding => %L) $$, :'good'), 'a proper vector is stored');

select * from finish();
rollback;
