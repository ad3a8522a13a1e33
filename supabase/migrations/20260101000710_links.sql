-- Ties made by hand, and the review of those that were only suspected.

create function cortex.link_memories(from_id uuid, to_id uuid, type text, weight double precision) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
  made boolean;
begin
  if type is null or type <> all ('{related,caused,contradicts,supersedes,part_of,follows}') then
    perform cortex.refuse('type', format('%s is no type of link', coalesce(type, 'null')),
      'types are related, caused, contradicts, supersedes, part_of and follows');
  elsif weight is null or weight not between 0 and 1 then
    perform cortex.refuse('weight', 'is not between 0 and 1', 'leave it out for 1');
  elsif from_id is null or to_id is null then
    perform cortex.refuse(case when from_id is null then 'from_id' else 'to_id' end, 'is missing', 'name two memories');
  elsif from_id = to_id then
    perform cortex.refuse('to_id', 'is the same memory as from_id', 'name two memories');
  end if;
  if type = 'supersedes' then
    return cortex.supersede(owner, to_id, from_id, now()) || jsonb_build_object('from_id', from_id, 'to_id', to_id, 'type', type, 'weight', 1);
  end if;
  perform cortex.lock_memory(owner, least(from_id, to_id), case when from_id < to_id then 'from_id' else 'to_id' end);
  perform cortex.lock_memory(owner, greatest(from_id, to_id), case when from_id < to_id then 'to_id' else 'from_id' end);
  insert into public.memory_links as l (owner_id, from_id, to_id, type, weight)
  values (owner, link_memories.from_id, link_memories.to_id, link_memories.type, link_memories.weight)
  on conflict on constraint memory_links_pkey do update set weight = excluded.weight
  returning l.xmax = 0 into made;
  perform cortex.log_event(owner, from_id, 'link', now(), null, null,
    jsonb_build_object('to_id', to_id, 'type', type, 'weight', weight));
  return jsonb_build_object('from_id', from_id, 'to_id', to_id, 'type', type, 'weight', weight,
    'status', case when made then 'created' else 'updated' end);
end;
$$;
comment on function cortex.link_memories(uuid, uuid, text, double precision) is 'Ties two memories of the signed-in owner.';

create function public.link_memories(
  from_id uuid, to_id uuid, type text default 'related', weight double precision default 1
) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.link_memories(from_id, to_id, type, weight);
end;
comment on function public.link_memories is
  'Ties two memories: from_id caused, contradicts, supersedes, is part_of, follows or is related to to_id. supersedes ends to_id, as supersede does. Returns {from_id, to_id, type, weight, status}.';

create type public.review_row as (
  kind text, from_id uuid, to_id uuid, type text, similarity real, noticed_at timestamptz,
  from_content text, from_title text, from_occurred_at timestamptz,
  to_content text, to_title text, to_occurred_at timestamptz
);
comment on type public.review_row is 'Two current memories that seem to contradict or to repeat each other.';
comment on column public.review_row.kind is 'contradiction or duplicate';

create function cortex.unreviewed(owner uuid, wanted_namespace text, match_count int) returns setof public.review_row
language sql stable set search_path = ''
as $$
  select case l.type when 'contradicts' then 'contradiction' else 'duplicate' end,
         l.from_id, l.to_id, l.type, l.weight, l.created_at,
         f.content, f.title, f.occurred_at, t.content, t.title, t.occurred_at
  from public.memory_links l
  join public.memories f on f.owner_id = owner and f.id = l.from_id
  join public.memories t on t.owner_id = owner and t.id = l.to_id
  where l.owner_id = owner and l.reviewed_at is null
    and (l.type = 'contradicts' or l.type = 'related' and l.weight >= (select cortex.setting('duplicate_similarity')))
    and f.archived_at is null and f.valid_to is null and t.archived_at is null and t.valid_to is null
    and (wanted_namespace is null or f.namespace = wanted_namespace and t.namespace = wanted_namespace)
  order by l.type = 'contradicts' desc, l.weight desc, l.created_at, l.from_id, l.to_id
  limit match_count;
$$;
comment on function cortex.unreviewed(uuid, text, int) is
  'Unreviewed pairs of an owner''s current memories: contradictions first, then near-duplicates, the likest first.';

create function cortex.review_queue(wanted_namespace text, match_count int) returns setof public.review_row
language plpgsql stable security definer set search_path = ''
as $$
begin
  perform cortex.check_match_count(match_count);
  return query select q.* from cortex.unreviewed(cortex.current_owner(), wanted_namespace, match_count) q;
end;
$$;
comment on function cortex.review_queue(text, int) is 'The review queue of the signed-in owner.';

create function public.review_queue(match_count int default 20, namespace text default null)
returns setof public.review_row
language sql stable set search_path = ''
begin atomic
  select q.* from cortex.review_queue(namespace, match_count) q;
end;
comment on function public.review_queue is
  'Pairs of current memories that seem to contradict or repeat each other, for a person to settle with resolve_review. Read only.';

create function cortex.resolve_review(from_id uuid, to_id uuid, type text, verdict text, at timestamptz) returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
begin
  if verdict is null or verdict <> all ('{keep,dismiss,supersede,superseded}') then
    perform cortex.refuse('verdict', format('%s is no verdict', coalesce(verdict, 'null')),
      'keep: both stand; dismiss: they do not concern each other; supersede: from_id replaces to_id; superseded: to_id replaces from_id');
  end if;
  if verdict = 'supersede' then
    perform cortex.supersede(owner, to_id, from_id, at);
  elsif verdict = 'superseded' then
    perform cortex.supersede(owner, from_id, to_id, at);
  end if;
  update public.memory_links l
  set reviewed_at = at, weight = case verdict when 'dismiss' then 0 else l.weight end
  where l.owner_id = owner and l.from_id = resolve_review.from_id and l.to_id = resolve_review.to_id
    and l.type = resolve_review.type and l.type in ('related', 'contradicts');
  if not found then
    perform cortex.refuse_as('404', 'from_id, to_id, type', 'is no pair to review', 'take the three from review_queue');
  end if;
  perform cortex.log_event(owner, from_id, 'review', at, verdict, null, jsonb_build_object('to_id', to_id, 'type', type));
  return jsonb_build_object('from_id', from_id, 'to_id', to_id, 'type', type, 'verdict', verdict, 'reviewed_at', at);
end;
$$;
comment on function cortex.resolve_review(uuid, uuid, text, text, timestamptz) is
  'Settles one pair of the signed-in owner''s review queue.';

create function public.resolve_review(
  from_id uuid, to_id uuid, type text, verdict text, as_of timestamptz default null
) returns jsonb
language sql set search_path = ''
begin atomic
  select cortex.resolve_review(from_id, to_id, type, verdict, coalesce(as_of, now()));
end;
comment on function public.resolve_review is
  'Settles a pair of the review queue: keep (both stand), dismiss (they do not concern each other), supersede (from_id replaces to_id) or superseded (to_id replaces from_id). Returns {from_id, to_id, type, verdict, reviewed_at}.';
