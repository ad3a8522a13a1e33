-- The morning briefing. Each part is a function over one owner's live memories at an instant.

create function cortex.is_open_task(memory public.memories) returns boolean
language sql immutable set search_path = ''
return memory.due_at is not null and memory.archived_at is null and memory.valid_to is null and not memory.metadata ? 'done_at';
comment on function cortex.is_open_task(public.memories) is 'Whether a memory is a task or intention still to be done.';

create function cortex.due_tasks(owner uuid, wanted_namespace text, from_time timestamptz, to_time timestamptz, wanted int)
returns jsonb
language sql stable set search_path = ''
begin atomic
  select jsonb_build_object(
    'count', count(*),
    'tasks', coalesce(jsonb_agg(cortex.brief(t.m, 300) order by (t.m).due_at, (t.m).id) filter (where t.n <= wanted), '[]'))
  from (
    select m, row_number() over (order by m.due_at, m.id) as n
    from public.memories m
    where m.owner_id = owner and m.due_at >= from_time and m.due_at < to_time
      and m.archived_at is null and cortex.is_open_task(m)
      and (wanted_namespace is null or m.namespace = wanted_namespace)
  ) t;
end;
comment on function cortex.due_tasks(uuid, text, timestamptz, timestamptz, int) is
  'Open tasks due in a span of time: how many, and the first of them.';

create function cortex.recent_decisions(owner uuid, wanted_namespace text, since timestamptz, at timestamptz, wanted int) returns jsonb
language sql stable set search_path = ''
return (
  select coalesce(jsonb_agg(cortex.brief(d.m, 300) order by (d.m).occurred_at desc, (d.m).id), '[]')
  from (
    select m from public.memories m
    where m.owner_id = owner and m.category = 'decision' and m.occurred_at > since and m.occurred_at <= at
      and m.archived_at is null and m.valid_to is null
      and (wanted_namespace is null or m.namespace = wanted_namespace)
    order by m.occurred_at desc, m.id
    limit wanted
  ) d);
comment on function cortex.recent_decisions(uuid, text, timestamptz, timestamptz, int) is 'The decisions of a span of time, latest first.';

create function cortex.stale_facts(owner uuid, wanted_namespace text, at timestamptz, wanted int) returns jsonb
language sql stable set search_path = ''
return (
  select coalesce(jsonb_agg(cortex.brief(s.m, 300) || jsonb_build_object('last_used_at', s.last_accessed_at)
                            order by s.last_accessed_at, (s.m).id), '[]')
  from (
    select m, a.last_accessed_at
    from public.memories m
    join public.memory_activation a on a.owner_id = owner and a.memory_id = m.id
    where m.owner_id = owner and m.archived_at is null and m.valid_to is null
      and (m.store in ('semantic', 'procedural') or m.category in ('fact', 'rule', 'person', 'workflow') and m.store <> 'sensory')
      and m.metadata ->> 'kind' is distinct from 'checkpoint'
      and a.last_accessed_at < at - (select cortex.setting('stale_days')) * interval '1 day'
      and (wanted_namespace is null or m.namespace = wanted_namespace)
    order by a.last_accessed_at, m.id
    limit wanted
  ) s);
comment on function cortex.stale_facts(uuid, text, timestamptz, int) is
  'Knowledge nobody used for stale_days: is it still so? The longest unused first.';

create function cortex.fading_soon(owner uuid, wanted_namespace text, at timestamptz, until timestamptz, wanted int) returns jsonb
language sql stable set search_path = ''
begin atomic
  with soon as materialized (
    select s.memory_id, s.strength, s.fades_at from cortex.strengths(owner, at) s where s.fades_at <= until
  ),
  ranked as (
    select m, s.strength, s.fades_at, row_number() over (order by a.access_count desc, m.confidence desc, s.fades_at, m.id) as n
    from soon s
    join public.memories m on m.owner_id = owner and m.id = s.memory_id
    join public.memory_activation a on a.owner_id = owner and a.memory_id = s.memory_id
    where m.store <> 'sensory' and (wanted_namespace is null or m.namespace = wanted_namespace)
  )
  select jsonb_build_object(
    'count', count(*),
    'memories', coalesce(jsonb_agg(cortex.brief(r.m, 300) || jsonb_build_object('strength', r.strength, 'fades_at', r.fades_at)
                                   order by r.n) filter (where r.n <= wanted), '[]'))
  from ranked r;
end;
comment on function cortex.fading_soon(uuid, text, timestamptz, timestamptz, int) is
  'What will be archived by then unless it is used: how many, and first those that were used most.';

create function cortex.brain_size(owner uuid, wanted_namespace text, at timestamptz) returns jsonb
language sql stable set search_path = ''
begin atomic
  select jsonb_build_object(
    'memories', count(*),
    'new_7_days', count(*) filter (where m.created_at > at - interval '7 days'),
    'by_store', jsonb_build_object(
      'sensory', count(*) filter (where m.store = 'sensory'), 'episodic', count(*) filter (where m.store = 'episodic'),
      'semantic', count(*) filter (where m.store = 'semantic'), 'procedural', count(*) filter (where m.store = 'procedural'),
      'prospective', count(*) filter (where m.store = 'prospective')),
    'pending', count(*) filter (where m.enrichment_status = 'pending'),
    'failed', count(*) filter (where m.enrichment_status = 'failed'))
  from public.memories m
  where m.owner_id = owner and m.archived_at is null and m.valid_to is null
    and (wanted_namespace is null or m.namespace = wanted_namespace);
end;
comment on function cortex.brain_size(uuid, text, timestamptz) is 'Live memories by store, those of the last week, and the enrichment backlog.';

create function cortex.wake(wanted_namespace text, wanted_session text, days int, match_count int, at timestamptz) returns jsonb
language plpgsql stable security definer set search_path = ''
as $$
declare
  owner constant uuid := cortex.current_owner();
begin
  perform cortex.check_match_count(match_count);
  if days is null or days not between 0 and 3650 then
    perform cortex.refuse('days', 'is not between 0 and 3650', 'leave it out for 7');
  end if;
  return jsonb_build_object(
    'at', at,
    'namespace', wanted_namespace,
    'checkpoint', cortex.last_checkpoint(owner, wanted_namespace, wanted_session, at),
    'overdue', cortex.due_tasks(owner, wanted_namespace, '-infinity', at, match_count),
    'due', cortex.due_tasks(owner, wanted_namespace, at, at + make_interval(days => days), match_count),
    'decisions', cortex.recent_decisions(owner, wanted_namespace, at - make_interval(days => days), at, match_count),
    'review', jsonb_build_object(
      'count', (select count(*) from cortex.unreviewed(owner, wanted_namespace, 1000)),
      'pairs', (select coalesce(jsonb_agg(to_jsonb(q)), '[]') from cortex.unreviewed(owner, wanted_namespace, match_count) q)),
    'stale', cortex.stale_facts(owner, wanted_namespace, at, match_count),
    'fading', cortex.fading_soon(owner, wanted_namespace, at, at + make_interval(days => days), match_count),
    'size', cortex.brain_size(owner, wanted_namespace, at),
    'late_jobs', cortex.late_jobs(at));
end;
$$;
comment on function cortex.wake(text, text, int, int, timestamptz) is 'The briefing of the signed-in owner.';

create function public.wake(
  namespace text default null, session_id text default null, days int default 7, match_count int default 5,
  as_of timestamptz default null
) returns jsonb
language sql stable set search_path = ''
begin atomic
  select cortex.wake(namespace, session_id, days, match_count, coalesce(as_of, now()));
end;
comment on function public.wake is
  'A briefing to begin a session with: {at, namespace, checkpoint, overdue, due, decisions, review, stale, fading, size, late_jobs}. Lists hold at most match_count entries, days is how far it looks back and ahead. Read only.';
