-- Strength, recency and access: pure functions of what is stored and an instant. Nothing is written as
-- time passes, so a job that runs twice, late or never changes no strength.

create function cortex.decay_rate(valence real, arousal real, store text, pinned boolean) returns double precision
language sql stable set search_path = ''
return case
  when pinned or store = 'prospective' then 0
  when abs(valence) > 0.7 and arousal > 0.7 then cortex.setting('decay_per_day_emotional')
  else cortex.setting('decay_per_day')
end;
comment on function cortex.decay_rate(real, real, text, boolean) is
  'Strength a memory loses a day: the everyday rate, the slower one of strong emotion, none for intentions and pinned memories.';

create function cortex.strength_at(
  strength real, last_accessed_at timestamptz, decay_rate double precision, at timestamptz
) returns double precision
language sql immutable set search_path = ''
return greatest(0, strength - decay_rate * greatest(0, extract(epoch from at - last_accessed_at)::double precision / 86400));
comment on function cortex.strength_at(real, timestamptz, double precision, timestamptz) is
  'Strength at an instant, 0 to 1: stored strength less decay_rate for every day since the last access.';

create function cortex.recency_at(occurred_at timestamptz, recalled_at timestamptz, half_life_days double precision, at timestamptz)
returns double precision
language sql immutable set search_path = ''
-- Postgres refuses a power that underflows: a thousand half-lives are as good as any more.
return power(0.5, least(1000,
  greatest(0, extract(epoch from at - greatest(occurred_at, recalled_at))::double precision / 86400) / half_life_days));
comment on function cortex.recency_at(timestamptz, timestamptz, double precision, timestamptz) is
  'Recency, 1 now and halving every half_life_days since it happened or was last recalled (null where it never was).';

create function cortex.access_score(access_count int, saturation double precision) returns double precision
language sql immutable set search_path = ''
return least(1, ln(1 + access_count) / ln(1 + saturation));
comment on function cortex.access_score(int, double precision) is
  'How often it was used, 0 to 1, on a logarithmic scale that reaches 1 at saturation accesses.';
