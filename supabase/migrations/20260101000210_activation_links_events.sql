-- The three companions of a memory: what changes on every recall, what it is tied to, what was done to it.

create table public.memory_activation (
  owner_id uuid not null,
  memory_id uuid not null,
  strength real not null default 1,
  access_count int not null default 0,
  last_accessed_at timestamptz not null default now(),
  primary key (owner_id, memory_id),
  foreign key (owner_id, memory_id) references public.memories (owner_id, id) on delete cascade,
  constraint strength_between_0_and_1 check (strength between 0 and 1),
  constraint access_count_not_negative check (access_count >= 0)
) with (fillfactor = 70);  -- room for HOT updates: a touch then writes no index

comment on table public.memory_activation is
  'What every recall changes, apart from memories so that a touch never rewrites a vector row or its HNSW entry.';
comment on column public.memory_activation.strength is 'strength at last_accessed_at, 0 to 1; strength now is cortex.strength_at(…)';
comment on column public.memory_activation.access_count is 'how often it was recalled or marked used';
comment on column public.memory_activation.last_accessed_at is 'when it was last recalled or marked used, at first when it was stored';

create table public.memory_links (
  owner_id uuid not null default auth.uid(),
  from_id uuid not null,
  to_id uuid not null,
  type text not null,
  weight real not null default 1,
  created_at timestamptz not null default now(),
  reviewed_at timestamptz,
  primary key (owner_id, from_id, to_id, type),
  foreign key (owner_id, from_id) references public.memories (owner_id, id) on delete cascade,
  foreign key (owner_id, to_id) references public.memories (owner_id, id) on delete cascade,
  constraint type_known check (type in ('related', 'caused', 'contradicts', 'supersedes', 'part_of', 'follows')),
  constraint weight_between_0_and_1 check (weight between 0 and 1),
  constraint not_linked_to_itself check (from_id <> to_id)
);
create index memory_links_to_idx on public.memory_links (owner_id, to_id);

comment on table public.memory_links is 'Typed, weighted ties between two memories of one owner; the keys make a tie across owners impossible.';
comment on column public.memory_links.type is 'from follows to: said next in the session; from supersedes to; from is part_of to (a summary); from caused to';
comment on column public.memory_links.weight is 'strength of the tie, 0 to 1; for related the cosine similarity';
comment on column public.memory_links.reviewed_at is 'when a person settled a suspected duplicate or contradiction; such a tie leaves the review queue';

create table public.memory_events (
  id bigint generated always as identity primary key,
  owner_id uuid not null,
  memory_id uuid,
  action text not null,
  actor text not null,
  at timestamptz not null default now(),
  reason text,
  before jsonb,
  after jsonb
);
create index memory_events_owner_idx on public.memory_events (owner_id, at desc);
create index memory_events_memory_idx on public.memory_events (owner_id, memory_id, id);

comment on table public.memory_events is
  'Append-only audit: who did what to which memory, when. Nobody but the owner of the database can change it.';
comment on column public.memory_events.memory_id is 'the memory; null where an action concerns several (their ids are in after)';
comment on column public.memory_events.actor is 'database role, and the client application where the token names it';
comment on column public.memory_events.before is 'the changed columns as they were; emptied when a memory is erased';
comment on column public.memory_events.after is 'the changed columns as they became; emptied when a memory is erased';

create function cortex.actor() returns text
language sql stable set search_path = ''
return coalesce(nullif(auth.jwt() ->> 'role', ''), session_user::text)
  || coalesce('/' || nullif(current_setting('pgcortex.client', true), ''),
              '/' || nullif(auth.jwt() ->> 'client_id', ''), '');
comment on function cortex.actor() is 'Who acts: the role of the token, and the application where it says so.';

create function cortex.log_event(
  event_owner uuid, event_memory uuid, event_action text, event_at timestamptz default now(),
  event_reason text default null, event_before jsonb default null, event_after jsonb default null
) returns void
language sql set search_path = ''
begin atomic
  insert into public.memory_events (owner_id, memory_id, action, actor, at, reason, before, after)
  values (event_owner, event_memory, event_action, cortex.actor(), event_at, event_reason, event_before, event_after);
end;
comment on function cortex.log_event(uuid, uuid, text, timestamptz, text, jsonb, jsonb) is 'Appends one audit event.';
