-- Open Brain's table as a view: the live thoughts, simply. Reading, changing and deleting go to
-- memories under its policies; an insert is a capture.

create view public.thoughts with (security_invoker = true) as
  select m.id, m.content, m.embedding, m.thought_type, m.topics, m.people, m.actions, m.created_at
  from public.memories m
  where m.archived_at is null and m.valid_to is null;
comment on view public.thoughts is
  'The live thoughts of the signed-in owner. An insert is a capture: a repeat answers with the first id. Update and delete change the memory behind it.';

create function cortex.insert_thought() returns trigger
language plpgsql set search_path = ''
as $$
begin
  new.id := cortex.capture(
    cortex.without_nulls(to_jsonb(new) - 'embedding'
      || jsonb_build_object('occurred_at', new.created_at)), new.embedding) ->> 'id';
  select t.* into new from public.thoughts t where t.id = new.id;
  return new;
end;
$$;
comment on function cortex.insert_thought() is 'Makes an insert into thoughts a capture.';

create trigger capture_thought instead of insert on public.thoughts
  for each row execute function cortex.insert_thought();
