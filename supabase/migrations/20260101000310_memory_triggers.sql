-- What holds for every row however it is written: by an RPC, through the thoughts view, or directly.

create function cortex.prepare_memory() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  words_changed boolean;
  revectored public.memories;
begin
  if tg_op = 'UPDATE' then
    if (new.owner_id, new.id) is distinct from (old.owner_id, old.id) then
      raise exception 'a memory keeps its owner and its id'
        using errcode = 'PT409', hint = 'capture the thought anew for the other owner';
    end if;
    words_changed := (new.content, new.title) is distinct from (old.content, old.title);
    -- The old vector means the old words: without a new one the row goes back to the queue.
    -- As arrays, because they find their elements' `=` without a search_path, and hold null equal to null.
    if words_changed and array[new.embedding] = array[old.embedding] then
      new.embedding := null;
      new.embedding_model := null;
      new.enrichment_status := 'pending';
      new.enrichment_attempts := 0;
      new.enrichment_next_at := null;
      new.enrichment_error := null;
    end if;
  end if;

  if tg_op = 'INSERT' or words_changed
     or (new.people, new.topics, new.tags) is distinct from (old.people, old.topics, old.tags) then
    new.content_hash := cortex.content_hash(new.content);
    new.fts := cortex.memory_search_vector(new);
  end if;
  if new.embedding is not null and new.embedding_model is null then
    new.embedding_model := cortex.setting_text('embedding_model');
  end if;

  if tg_op = 'INSERT' then
    new.updated_at := new.created_at;
    new.given := coalesce(new.given, '{}');
    if new.store = 'sensory' then
      new.expires_at := coalesce(new.expires_at, new.created_at + cortex.setting('sensory_hours') * interval '1 hour');
    end if;
    return new;
  end if;

  -- Another vector for the same words changes nothing that a person could see.
  revectored := old;
  revectored.embedding := new.embedding;
  revectored.embedding_model := new.embedding_model;
  if new is distinct from revectored then
    new.updated_at := greatest(now(), old.updated_at);
    new.expires_at := case when new.store = 'sensory'
      then coalesce(new.expires_at, now() + cortex.setting('sensory_hours') * interval '1 hour') end;
  end if;
  return new;
end;
$$;
comment on function cortex.prepare_memory() is 'Derives hash, search vector, expiry and embedding state of a row before it is written.';

create trigger prepare_memory before insert or update on public.memories
  for each row execute function cortex.prepare_memory();

create function cortex.changed_columns(old_row public.memories, new_row public.memories, out before jsonb, out after jsonb)
language plpgsql immutable set search_path = ''
as $$
declare
  was jsonb;
  became jsonb;
begin
  -- Spelling out a vector costs more than all the rest, and nobody reads it.
  old_row.embedding := null;
  new_row.embedding := null;
  old_row.fts := null;
  new_row.fts := null;
  was := to_jsonb(old_row);
  became := to_jsonb(new_row);
  select jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, became -> o.key) into before, after
  from jsonb_each(was) o
  where o.value <> became -> o.key
    and o.key not in ('content_hash', 'updated_at', 'enrichment_attempts', 'enrichment_next_at');
end;
$$;
comment on function cortex.changed_columns(public.memories, public.memories) is
  'The columns a person would care about that differ between two versions of a memory, both ways.';

create function cortex.refresh_next_in_session(memory public.memories) returns void
language sql set search_path = ''
begin atomic
  update public.memories n set fts = cortex.memory_search_vector(n)
  where n.owner_id = memory.owner_id and n.id = cortex.next_in_session(memory)
    and n.fts is distinct from cortex.memory_search_vector(n);
end;
comment on function cortex.refresh_next_in_session(public.memories) is
  'Takes the words of a changed, archived or deleted memory out of its neighbour''s search context.';

create function cortex.follow_memory() returns trigger
language plpgsql security definer set search_path = ''
as $$
declare
  change record;
begin
  if tg_op = 'INSERT' then
    insert into public.memory_activation (owner_id, memory_id, last_accessed_at)
    values (new.owner_id, new.id, new.created_at);
    perform cortex.log_event(new.owner_id, new.id, 'capture', new.created_at, null, null,
      jsonb_build_object('source', new.source, 'store', new.store, 'thought_type', new.thought_type));
    return null;
  elsif tg_op = 'DELETE' then
    perform cortex.log_event(old.owner_id, old.id, 'delete');
    perform cortex.refresh_next_in_session(old);
    return null;
  end if;

  -- What faded was said all the same; what was forgotten is not.
  if old.session_id is not null and ((old.content, old.title) is distinct from (new.content, new.title)
     or 'forgotten' in (old.archive_reason, new.archive_reason)) then
    perform cortex.refresh_next_in_session(new);
  end if;

  change := cortex.changed_columns(old, new);
  if change.before - 'embedding_model' <> '{}' then
    perform cortex.log_event(new.owner_id, new.id,
      case
        when old.archived_at is null and new.archived_at is not null then 'archive'
        when old.archived_at is not null and new.archived_at is null then 'restore'
        when old.valid_to is null and new.valid_to is not null then 'supersede'
        when old.store = 'episodic' and new.store = 'semantic' then 'promote'
        when old.enrichment_status <> new.enrichment_status and old.content = new.content then 'enrich'
        else 'update'
      end,
      now(), new.archive_reason, change.before, change.after);
  end if;
  return null;
end;
$$;
comment on function cortex.follow_memory() is 'Gives a new memory its activation, and writes the audit trail of every change.';

create trigger follow_memory after insert or update or delete on public.memories
  for each row execute function cortex.follow_memory();
