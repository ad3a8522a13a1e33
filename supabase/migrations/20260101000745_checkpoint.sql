-- Working context saved at the end of a session, for the next one to wake up with. A checkpoint is a
-- memory like any other (metadata.kind = checkpoint, metadata.state = what was sent), so it is searched,
-- exported, fades and is forgotten like one; the next of the same session supersedes it.

create function cortex.checkpoint_text(state jsonb, title text, session_id text) returns text
language sql immutable set search_path = ''
return concat_ws(E'\n',
  'Checkpoint' || coalesce(' of ' || session_id, '') || coalesce(': ' || title, ''),
  (select string_agg(s.key || ': ' || case jsonb_typeof(s.value) when 'string' then s.value #>> '{}' else s.value::text end, E'\n')
   from jsonb_each(state) s));
comment on function cortex.checkpoint_text(jsonb, text, text) is 'A checkpoint in words: one line an entry of the state.';

create function cortex.checkpoint(
  state jsonb, title text, session_id text, namespace text, embedding extensions.halfvec, embedding_model text, at timestamptz
) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  previous uuid;
  saved jsonb;
begin
  state := cortex.unquoted(state);
  if state is null or jsonb_typeof(state) <> 'object' then
    perform cortex.refuse('state', 'is not an object', 'send the working context as a JSON object');
  end if;
  perform pg_advisory_xact_lock(hashtextextended('pgcortex supersede ' || owner, 0));
  -- The previous one ends first: the same state again is a new checkpoint, not a repeat.
  update public.memories m set valid_to = at
  where m.owner_id = owner and m.metadata ->> 'kind' = 'checkpoint' and m.namespace = checkpoint.namespace
    and m.session_id is not distinct from checkpoint.session_id
    and m.archived_at is null and m.valid_to is null
  returning m.id into previous;

  saved := cortex.capture(cortex.without_nulls(jsonb_build_object(
      'content', cortex.checkpoint_text(state, title, session_id), 'title', coalesce(title, 'Checkpoint'),
      'thought_type', 'reference', 'store', 'procedural', 'category', 'workflow', 'tags', array['checkpoint'],
      'session_id', session_id, 'namespace', namespace, 'embedding_model', embedding_model,
      'extractor', 'caller', 'confidence', 1, 'occurred_at', at, 'created_at', at))
    || jsonb_build_object('metadata', jsonb_build_object('kind', 'checkpoint', 'state', state)), embedding);
  if previous is not null then
    perform cortex.supersede(owner, previous, (saved ->> 'id')::uuid, at);
  end if;
  return saved || jsonb_build_object('replaced', previous);
end;
$$;
comment on function cortex.checkpoint(jsonb, text, text, text, extensions.halfvec, text, timestamptz) is
  'Saves the working context of the signed-in owner''s session.';

create function public.checkpoint(
  state jsonb, title text default null, session_id text default null, namespace text default null,
  embedding extensions.halfvec default null, embedding_model text default null, as_of timestamptz default null
) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.checkpoint(state, title, session_id, coalesce(namespace, 'default'), embedding, embedding_model, coalesce(as_of, now()));
end;
comment on function public.checkpoint is
  'Saves working context, any JSON object, as a memory; it replaces the previous checkpoint of the same session and namespace. Returns {id, status, enrichment_status, replaced}.';

create function cortex.last_checkpoint(owner uuid, wanted_namespace text, wanted_session text, at timestamptz) returns jsonb
language sql stable set search_path = ''
return (
  select jsonb_build_object('id', m.id, 'title', m.title, 'state', m.metadata -> 'state', 'session_id', m.session_id,
           'namespace', m.namespace, 'saved_at', m.occurred_at)
  from public.memories m
  where m.owner_id = owner and m.tags @> '{checkpoint}' and m.metadata ->> 'kind' = 'checkpoint'
    and m.archive_reason is distinct from 'forgotten' and m.occurred_at <= at
    and (wanted_namespace is null or m.namespace = wanted_namespace)
    and (wanted_session is null or m.session_id = wanted_session)
  order by m.occurred_at desc, m.created_at desc
  limit 1);
comment on function cortex.last_checkpoint(uuid, text, text, timestamptz) is
  'The latest checkpoint at an instant; one that has faded since is still the latest.';
