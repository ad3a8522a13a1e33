-- Spreading activation (Collins & Loftus 1975): a strong hit lends relevance to what it is linked to.

create function cortex.spread_activation(
  owner uuid, rated cortex.relevance[], query_embedding extensions.halfvec, pool cortex.candidates,
  match_threshold double precision
) returns cortex.relevance[]
language plpgsql stable set search_path = ''
as $$
declare
  along_follows constant double precision := cortex.setting('spread_follows');
  along_related constant double precision := cortex.setting('spread_related');
  along_others constant double precision := cortex.setting('spread_causal');
  lent jsonb;
  reached uuid[];
begin
  with sources as (
    select r.id, r.relevance from unnest(rated) r order by r.relevance desc, r.id limit 10
  ),
  neighbours as (
    select case when l.from_id = s.id then l.to_id else l.from_id end as id,
           l.type, s.relevance * l.weight * case l.type
             when 'follows' then along_follows
             when 'related' then along_related
             else along_others end as activation
    from sources s
    join public.memory_links l on l.owner_id = owner and s.id in (l.from_id, l.to_id) and l.weight > 0
  )
  select jsonb_object_agg(n.id, n.activation) into lent
  from (
    -- Likeness is no evidence twice over: of related links the strongest counts, of the others each.
    select id, coalesce(sum(activation) filter (where type <> 'related'), 0)
             + coalesce(max(activation) filter (where type = 'related'), 0) as activation
    from neighbours group by id
  ) n;

  if lent is null then
    return rated;
  end if;
  -- What a link reaches must pass the same filters as any other hit.
  execute format('select array_agg(m.id) from public.memories m where %s and m.id = any ($1)', pool.condition)
    into reached using array(select k::uuid from jsonb_object_keys(lent) k);

  return array(
    select row(e.id, e.similarity, e.lexical, e.relevance + coalesce((lent ->> e.id::text)::double precision, 0), e.named)::cortex.relevance
    from cortex.rate_relevance(
      cortex.measure_candidates(owner, array(select r.id from unnest(rated) r union select unnest(reached)), query_embedding, pool),
      query_embedding is not null, pool.terms, match_threshold) e
  );
end;
$$;
comment on function cortex.spread_activation(uuid, cortex.relevance[], extensions.halfvec, cortex.candidates, double precision) is
  'Adds to each memory the relevance its linked strong hits lend it (times link weight and the type''s factor), and brings in linked memories no leg found.';
