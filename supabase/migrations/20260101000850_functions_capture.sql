-- Two calls for the capture function: what it must know before it pays a provider, and storing all it found.

create function cortex.prepare(content text, namespace text, session_id text, idempotency_key text, with_neighbours boolean)
returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  in_namespace constant text := coalesce(prepare.namespace, 'default');
  hash constant bytea := cortex.content_hash(prepare.content);
  repeat public.memories;
begin
  -- Two look-ups by index; what an or of both makes of it reads every memory of the owner.
  select * into repeat from public.memories m where m.owner_id = owner and m.idempotency_key = prepare.idempotency_key;
  if repeat.id is null then
    select * into repeat from public.memories m
    where m.owner_id = owner and m.namespace = in_namespace and m.content_hash = hash
      and m.archived_at is null and m.valid_to is null;
  end if;
  return jsonb_build_object(
    'repeat', case when repeat.id is not null then
      jsonb_build_object('id', repeat.id, 'status', case when repeat.archive_reason = 'forgotten' then 'forgotten' else 'exists' end,
        'enrichment_status', repeat.enrichment_status) end,
    'previous', (select m.content from public.memories m
      where m.owner_id = owner and m.session_id = prepare.session_id and m.namespace = in_namespace and m.archived_at is null
      order by m.occurred_at desc, m.id desc limit 1),
    'neighbours', case when with_neighbours and repeat.id is null
      then cortex.neighbours(owner, in_namespace, prepare.content) else '[]' end,
    'budget_spent', cortex.budget_spent(owner),
    'embedding_model', cortex.setting_text('embedding_model'),
    'embedding_dimensions', cortex.embedding_dimensions());
end;
$$;
comment on function cortex.prepare(text, text, text, text, boolean) is
  'What is known of a thought before it is stored: its repeat, what was said before it, its neighbours, the budget, the model.';

create function public.prepare_capture(
  content text, namespace text default null, session_id text default null, idempotency_key text default null,
  with_neighbours boolean default false
) returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.prepare(content, namespace, session_id, idempotency_key, with_neighbours);
end;
comment on function public.prepare_capture is
  'Before a capture that calls models: the stored memory it would repeat, the previous thought of the session, the nearest memories, the budget. Read only.';

create function cortex.store(thought jsonb, embedding extensions.halfvec, relations jsonb, calls jsonb) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  verdict jsonb := cortex.capture(thought, embedding);
  memory public.memories;
begin
  perform cortex.record_calls(owner, (verdict ->> 'id')::uuid, calls);
  if verdict ->> 'status' = 'created' then
    select * into memory from public.memories m
    where m.owner_id = owner and m.id = (verdict ->> 'id')::uuid;
    perform cortex.relate(memory, relations);
  end if;
  return verdict;
end;
$$;
comment on function cortex.store(jsonb, extensions.halfvec, jsonb, jsonb) is 'Captures a thought with its relations and the calls made for it, in one transaction.';

create function public.store_capture(
  thought jsonb, embedding extensions.halfvec default null, relations jsonb default null, calls jsonb default null
) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.store(cortex.unquoted(thought), embedding, cortex.unquoted(relations), cortex.unquoted(calls));
end;
comment on function public.store_capture is
  'As capture_thought, with the thought as one object, what it does to older memories, and the model calls that were made for it.';
