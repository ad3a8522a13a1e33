-- The kick: where pg_net and Vault are there, a minute's cron tells the enrich function that rows are waiting.
-- Without them nothing is lost: anything that calls the function on a schedule does the same.

create function cortex.vault_secret(secret_name text) returns text
language plpgsql stable set search_path = ''
as $$
declare
  secrets constant regclass := to_regclass('vault.decrypted_secrets');
  secret text;
begin
  if secrets is not null then
    execute format('select s.decrypted_secret from %s s where s.name = $1', secrets) into secret using secret_name;
  end if;
  return secret;
end;
$$;
comment on function cortex.vault_secret(text) is 'A secret of Supabase Vault; null where there is none, or no Vault.';

create or replace function cortex.kick_enrichment() returns jsonb
language plpgsql security definer set search_path = ''
as $$
declare
  net constant regnamespace := to_regnamespace('net');
  url text;
  request bigint;
begin
  if net is null then
    return jsonb_build_object('kicked', false, 'reason', 'pg_net is not installed');
  elsif not exists (
    select from public.memories m
    where m.enrichment_status = 'pending' and m.archived_at is null
      and (m.enrichment_next_at is null or m.enrichment_next_at <= clock_timestamp()))
  then
    return jsonb_build_object('kicked', false, 'reason', 'nothing waits');
  end if;
  url := cortex.vault_secret('pgcortex_enrich_url');
  if url is null then
    return jsonb_build_object('kicked', false, 'reason', 'Vault holds no pgcortex_enrich_url');
  end if;
  execute format('select %s.http_post(url := $1, body := ''{}''::jsonb, headers := $2, timeout_milliseconds := 5000)', net)
    into request
    using url, jsonb_build_object('content-type', 'application/json',
      'authorization', 'Bearer ' || cortex.vault_secret('pgcortex_enrich_secret'));
  return jsonb_build_object('kicked', true, 'request', request);
end;
$$;
comment on function cortex.kick_enrichment() is
  'Posts to the enrich function when memories wait for it. Needs pg_net and the Vault secrets pgcortex_enrich_url and pgcortex_enrich_secret; does nothing without them.';
