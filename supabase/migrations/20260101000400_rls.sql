-- Row level security: an owner sees and changes what is theirs, nobody else anything. One policy a
-- command; `(select auth.uid())` is evaluated once a statement. What anon gets is nothing.

alter table public.memories enable row level security;
alter table public.memory_activation enable row level security;
alter table public.memory_links enable row level security;
alter table public.memory_events enable row level security;

create policy "owners read their memories" on public.memories
  for select to authenticated using ((select auth.uid()) = owner_id);
create policy "owners add memories of their own" on public.memories
  for insert to authenticated with check ((select auth.uid()) = owner_id);
create policy "owners change their memories" on public.memories
  for update to authenticated using ((select auth.uid()) = owner_id) with check ((select auth.uid()) = owner_id);
create policy "owners delete their memories" on public.memories
  for delete to authenticated using ((select auth.uid()) = owner_id);

create policy "owners read their activation" on public.memory_activation
  for select to authenticated using ((select auth.uid()) = owner_id);

create policy "owners read their links" on public.memory_links
  for select to authenticated using ((select auth.uid()) = owner_id);
create policy "owners add links of their own" on public.memory_links
  for insert to authenticated with check ((select auth.uid()) = owner_id);
create policy "owners change their links" on public.memory_links
  for update to authenticated using ((select auth.uid()) = owner_id) with check ((select auth.uid()) = owner_id);
create policy "owners delete their links" on public.memory_links
  for delete to authenticated using ((select auth.uid()) = owner_id);

create policy "owners read their audit trail" on public.memory_events
  for select to authenticated using ((select auth.uid()) = owner_id);

-- Settings belong to the owner of the database; the functions that read them run as that owner.
-- A policy for nobody says so to the advisors.
create policy "nobody reads settings through the api" on cortex.settings
  for select to authenticated using (false);

revoke all on public.memories, public.memory_activation, public.memory_links, public.memory_events
  from public, anon, authenticated, service_role;
grant select, insert, update, delete on public.memories, public.memory_links to authenticated, service_role;
grant select on public.memory_activation, public.memory_events to authenticated, service_role;
-- An identity column needs no privilege on its sequence.
revoke all on sequence public.memory_events_id_seq from public, anon, authenticated, service_role;
