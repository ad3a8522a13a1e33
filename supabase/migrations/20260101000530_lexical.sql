-- The lexical leg: BM25 (Robertson & Zaragoza 2009) per owner, over the GIN index of search vectors.

create type cortex.query_term as (lexeme text, query tsquery, df bigint, idf double precision);
comment on type cortex.query_term is
  'A lexeme of a query: its tsquery, how many of the owner''s memories hold it, its inverse document frequency.';

create function cortex.query_lexemes(query_text text) returns setof text
language sql stable set search_path = ''
begin atomic
  -- A pair of CJK characters says what its two halves say, and better.
  with lexemes as (
    select l.lexeme, l.lexeme ~ '^[⺀-鿿가-힯豈-﫿𠀀-𯨟]+$' as cjk
    from unnest(cortex.search_vector(cortex.setting_text('text_search_config')::regconfig, left(query_text, 4000))) l
  )
  select l.lexeme from lexemes l
  where not (l.cjk and char_length(l.lexeme) = 1 and exists (select from lexemes o where o.cjk and char_length(o.lexeme) = 2))
  order by char_length(l.lexeme) desc, l.lexeme
  limit 32;
end;
comment on function cortex.query_lexemes(text) is 'The lexemes a query is searched by, at most 32, the longest first.';

create function cortex.holders(owner uuid, term tsquery, cap bigint) returns bigint
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select count(*) from (
      select from public.memories m
      where m.owner_id = owner and m.fts @@ term
      limit cap + 1
    ) counted
  );
end;
$$;
comment on function cortex.holders(uuid, tsquery, bigint) is 'How many memories of an owner hold a lexeme, archived ones included, counted up to cap + 1.';

-- Counting visits every row counted. What is common among the latest memories is taken to be so among all.
create function cortex.common_holders(owner uuid, term tsquery, owned bigint, cap bigint) returns bigint
language plpgsql stable set search_path = ''
as $$
begin
  return (
    select greatest(cap + 1, least(owned, owned * avg((l.fts @@ term)::int)))
    from (select m.fts from public.memories m where m.owner_id = owner
          order by m.occurred_at desc, m.id desc limit 200) l
  );
end;
$$;
comment on function cortex.common_holders(uuid, tsquery, bigint, bigint) is
  'How many of the owned memories may hold a lexeme that more than cap of them hold, judged by the latest 200.';

-- A word nobody wrote exactly may be the beginning of one: `FGY2Wh` finds FGY2WhTYpPnrIDTdsKH5.
create function cortex.query_terms(owner uuid, query_text text) returns cortex.query_term[]
language plpgsql stable set search_path = ''
as $$
declare
  cap constant bigint := least(1000, cortex.setting('lexeme_rows'));
  n bigint := cortex.owner_rows(owner, 10000);
  terms cortex.query_term[] := array[]::cortex.query_term[];
  term cortex.query_term;
begin
  for term.lexeme in select l from cortex.query_lexemes(query_text) l loop
    term.query := cortex.lexeme_query(term.lexeme);
    term.df := cortex.holders(owner, term.query, cap);
    if term.df = 0 and char_length(term.lexeme) >= 3 then
      term.query := cortex.lexeme_query(term.lexeme, '*');
      term.df := cortex.holders(owner, term.query, cap);
    end if;
    if term.df > cap then
      term.df := cortex.common_holders(owner, term.query, n, cap);
    end if;
    n := greatest(n, term.df);
    terms := terms || term;
  end loop;
  return array(
    select row(t.lexeme, t.query, t.df,
               ln(1 + (n - t.df + 0.5) / (t.df + 0.5))::double precision)::cortex.query_term
    from unnest(terms) t order by t.df, t.lexeme
  );
end;
$$;
comment on function cortex.query_terms(uuid, text) is
  'The lexemes of a query, rarest first, with how many of the owner''s memories hold them and idf = ln(1 + (N - df + 0.5) / (df + 0.5)).';

-- ts_rank of one lexeme, all weights 1, is (1 + 1/4 + … + 1/tf²) / (pi²/6), and what is missing of that
-- series is close to 1 / (tf + 1/2): so tf = (1 / (1 - rank) - 1) · 6/pi² within 0.1, at the speed of C.
-- Weight 0.65 for label D makes a lexeme of the previous thought count as tf 0.4. The fraction
-- tf · (k1 + 1) / (tf + K) is written (k1 + 1) · (1 - K / (tf + K)), so that the rank is computed once.
create function cortex.average_length(owner uuid) returns double precision
language sql stable set search_path = ''
begin atomic
  select greatest(1, coalesce(avg(length(l.fts)), 1))
  from (select m.fts from public.memories m where m.owner_id = owner order by m.occurred_at desc, m.id desc limit 100) l;
end;
comment on function cortex.average_length(uuid) is 'Lexemes of an owner''s typical memory: the mean over the latest 100.';

create function cortex.bm25_sql(owner uuid, terms cortex.query_term[]) returns text
language plpgsql stable set search_path = ''
as $$
declare
  k1 constant double precision := cortex.setting('bm25_k1');
  b constant double precision := cortex.setting('bm25_b');
  k text;
begin
  if terms = '{}' then
    return 'null::double precision';
  end if;
  -- Never 0: a memory without the lexeme would divide by it.
  -- Constants are typed: a bare 0.78 is numeric, whose arithmetic would cost more than the ranks.
  k := format('(%L::double precision + %L::double precision * length(m.fts))',
    greatest(1e-6, k1 * (1 - b)), k1 * b / cortex.average_length(owner));
  return coalesce((
    select string_agg(format(
      '%1$L::double precision * (1 - %2$s / ((1 / (1 - least(''0.999''::double precision,'
      || ' ts_rank(''{0.65,1,1,1}'', m.fts, %3$L::tsquery))) - 1) * ''0.6079271''::double precision + %2$s))',
      t.idf * (k1 + 1), k, t.query), ' + ')
    from unnest(terms) t
    where t.df > 0), '0::double precision');
end;
$$;
comment on function cortex.bm25_sql(uuid, cortex.query_term[]) is
  'SQL expression for the BM25 score of public.memories m: sum of idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / average length)).';

create function cortex.best_matches(condition text, any_of tsquery, ranking text, newest bigint, wanted int)
returns uuid[]
language plpgsql stable set search_path = ''
as $$
declare
  ids uuid[];
begin
  execute format(
    'select coalesce(array_agg(b.id), ''{}'') from (
       select m.id
       from (select m.id, m.fts from public.memories m where %s and m.fts @@ %L::tsquery %s) m
       order by %s desc, m.id limit %s) b',
    condition, any_of, 'order by m.occurred_at desc, m.id desc limit ' || newest, ranking, wanted)
    into ids;
  return ids;
end;
$$;
comment on function cortex.best_matches(text, tsquery, text, bigint, int) is
  'Ids of the wanted best memories that match, under a condition; where newest is given only so many of the newest are looked at.';

create function cortex.lexical_matches(
  owner uuid, condition text, terms cortex.query_term[], wanted int, filtered boolean, out ids uuid[], out words text[]
)
language plpgsql stable set search_path = ''
as $$
declare
  most constant bigint := cortex.setting('lexeme_rows');
  ranking constant text := cortex.bm25_sql(owner, terms);
  offered bigint := 0;
  any_of tsquery;
  left_out tsquery;
  term cortex.query_term;
begin
  -- The rarest words choose the candidates, and as many more as stay within bounds. All of them score.
  foreach term in array terms loop
    continue when term.df = 0;
    if any_of is null or offered + term.df <= most then
      any_of := coalesce(any_of || term.query, term.query);
      words := words || term.lexeme;
      offered := offered + term.df;
    else
      left_out := coalesce(left_out || term.query, term.query);
    end if;
  end loop;
  ids := '{}';
  if any_of is not null then
    -- A single word commoner than the bound is scored in the newest memories that hold it.
    ids := cortex.best_matches(condition, any_of, ranking, case when offered > most then most end, wanted);
  end if;
  -- How rare a word is was counted in the whole brain: what passes may hold none of the rare ones.
  if left_out is not null and (filtered and cardinality(ids) < wanted or ids = '{}') then
    words := array(select t.lexeme from unnest(terms) t where t.df > 0);
    ids := ids || cortex.best_matches(
      condition || format(' and m.id <> all (%L::uuid[])', ids), left_out, ranking, most, wanted - cardinality(ids));
  end if;
end;
$$;
comment on function cortex.lexical_matches(uuid, text, cortex.query_term[], int, boolean) is
  'Ids of the wanted best BM25 matches under a condition, best first, and the words that chose them. Where the rare words leave a filtered search short, the newest memories that hold the common ones follow.';
