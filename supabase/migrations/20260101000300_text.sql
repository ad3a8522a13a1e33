-- From words to what is indexed and compared: the content hash and the search vector.

create function cortex.content_hash(content text) returns bytea
language sql immutable set search_path = ''
return sha256(convert_to(regexp_replace(btrim(normalize(content, nfc), E' \t\r\n'), '\s+', ' ', 'g'), 'UTF8'));
comment on function cortex.content_hash(text) is
  'SHA-256 of the text in NFC with runs of white space folded: the identity of a thought. Letter case counts.';

-- Chinese, Japanese and Korean are written without spaces: a text search parser sees one long word.
-- Single characters and overlapping pairs of each run make any part of it findable.
create function cortex.cjk_grams(body text) returns tsvector
language sql immutable set search_path = ''
begin atomic
  select coalesce(string_agg(distinct gram || ':1', ' '), '')::tsvector
  from (
    select unnest(array[chr, chr || lead(chr) over (partition by run_no order by chr_no)]) as gram
    from regexp_matches(left(body, 100000), '[⺀-鿿가-힯豈-﫿𠀀-𯨟]+', 'g') with ordinality as runs (run, run_no),
         lateral string_to_table(run[1], null) with ordinality as chars (chr, chr_no)
  ) grams
  where gram is not null and gram ~ '\w';
end;
comment on function cortex.cjk_grams(text) is 'Lexemes for the single characters and adjacent pairs of every CJK run of the text.';

-- `api_key`, `tests/unit/a.py`, `PR-1234` and `dockerの資料` are one token each to the parser; read a second
-- time with the joints opened and the CJK runs left out, their parts are found too.
create function cortex.search_vector(config regconfig, body text) returns tsvector
language plpgsql immutable set search_path = ''
as $$
declare
  part text := body;
  opened text;
  words tsvector;
  complete boolean := false;
begin
  while not complete loop
    begin
      words := to_tsvector(config, part);
      opened := part;
      if part ~ '[⺀-鿿가-힯豈-﫿𠀀-𯨟]' then
        words := words || cortex.cjk_grams(part);
        opened := regexp_replace(part, '[⺀-鿿가-힯豈-﫿𠀀-𯨟]+', ' ', 'g');
      end if;
      if opened <> part or part ~ '[[:alnum:]][-_./:@#+][[:alnum:]]' then
        words := words || ts_delete(
          to_tsvector(config, translate(opened, '-_./:@#+', '        ')), tsvector_to_array(words));
      end if;
      complete := true;
    exception when program_limit_exceeded then
      -- A tsvector holds at most 1 MB of lexemes: index the first half rather than lose the row.
      part := left(part, char_length(part) / 2);
    end;
  end loop;
  return words;
end;
$$;
comment on function cortex.search_vector(regconfig, text) is
  'Lexemes of a text for search: stemmed words, parts of identifiers, CJK n-grams. Never fails on long text: the tail is left out.';

create function cortex.own_search_vector(memory public.memories) returns tsvector
language sql stable set search_path = ''
begin atomic
  select setweight(cortex.search_vector(c.config, memory.content), 'C')
    || setweight(cortex.search_vector(c.config, coalesce(memory.title, '')), 'A')
    || setweight(cortex.search_vector(c.config, array_to_string(memory.people, ', ')), 'B')
    || setweight(cortex.search_vector(c.config, array_to_string(memory.topics || memory.tags, ', ')), 'C')
  from (select cortex.setting_text('text_search_config')::regconfig as config) c;
end;
comment on function cortex.own_search_vector(public.memories) is
  'A memory''s own lexemes: title at weight A, people at B, content, topics and tags at C.';

-- In a conversation "yes, on Tuesday" means what was said before it. The lexemes of the previous thought
-- join at weight D and count for less (see cortex.bm25_sql).
create function cortex.previous_in_session(memory public.memories) returns uuid
language sql stable set search_path = ''
begin atomic
  select p.id from public.memories p
  where p.owner_id = memory.owner_id and p.session_id = memory.session_id and p.namespace = memory.namespace
    and p.id <> memory.id and p.archived_at is null
    and (p.occurred_at, p.created_at) < (memory.occurred_at, memory.created_at)
  order by p.occurred_at desc, p.created_at desc
  limit 1;
end;
comment on function cortex.previous_in_session(public.memories) is
  'The live memory said just before in the same session, or null.';

create function cortex.next_in_session(memory public.memories) returns uuid
language sql stable set search_path = ''
begin atomic
  select n.id from public.memories n
  where n.owner_id = memory.owner_id and n.session_id = memory.session_id and n.namespace = memory.namespace
    and n.id <> memory.id and n.archived_at is null
    and (n.occurred_at, n.created_at) > (memory.occurred_at, memory.created_at)
  order by n.occurred_at, n.created_at
  limit 1;
end;
comment on function cortex.next_in_session(public.memories) is
  'The live memory said just after in the same session, or null.';

create function cortex.memory_search_vector(memory public.memories) returns tsvector
language plpgsql stable set search_path = ''
as $$
declare
  own tsvector := cortex.own_search_vector(memory);
  context tsvector;
begin
  if memory.session_id is not null then
    select setweight(ts_filter(p.fts, '{a,b,c}'), 'D') into context
    from public.memories p
    where p.owner_id = memory.owner_id and p.id = cortex.previous_in_session(memory);
    if length(context) + length(own) < 20000 then
      own := own || context;
    end if;
  end if;
  return own;
end;
$$;
comment on function cortex.memory_search_vector(public.memories) is
  'The search vector of a memory: its own lexemes at weights A to C, those of the previous thought of its session at weight D.';

create function cortex.lexeme_query(lexeme text, label text default '') returns tsquery
language sql immutable set search_path = ''
return ('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''':' || label)::tsquery;
comment on function cortex.lexeme_query(text, text) is
  'A tsquery for exactly this lexeme, quoted so that no text is ever read as query syntax; the label may be * (prefix) or weights.';

create function cortex.reindex_text() returns bigint
language plpgsql set search_path = ''
as $$
declare
  changed bigint;
begin
  update public.memories m
  set fts = cortex.memory_search_vector(m)
  where m.fts is distinct from cortex.memory_search_vector(m);
  get diagnostics changed = row_count;
  return changed;
end;
$$;
comment on function cortex.reindex_text() is
  'Makes every search vector anew after a change of text_search_config; answers how many rows changed. For the database owner.';
