-- "I like tea", then "I no longer like tea": the same statement, the other way round. Two statements of
-- the same words in the same order, of which one is negated, exclude each other. English only; elsewhere
-- nothing is ever taken for a reversal, and likeness alone never is.

create function cortex.plain_words(statement text) returns text
language sql immutable set search_path = ''
return (
  with folded as (
    select regexp_replace(lower(translate(statement, '’', '''')), '^\s*no\M\s*[,.!;:-]', ' ') as t
  ),
  spelled as (
    select replace(replace(replace(t, 'won''t', 'will not'), 'can''t', 'can not'), 'cannot', 'can not') as t from folded
  )
  select regexp_replace(regexp_replace(t, 'n''t\M', ' not', 'g'), '''(m|re|s|ve|ll|d)\M', '', 'g') from spelled);
comment on function cortex.plain_words(text) is 'A statement in lower case with its contractions spelled out.';

-- A stop button, a no-op and "is used to cache" negate nothing.
create function cortex.negations() returns text
language sql immutable set search_path = ''
return '\m(?:no longer|no more|not|never|no(?!\s*-|\s+to\M)|nor|(?:stopped|stops|stop|quit|quits|ceased)(?=\s+\w+ing\M)'
  || '|(?<!\m(?:am|is|are|was|were|be|been|being|get|gets|got|getting)\s)used to)\M';
comment on function cortex.negations() is 'Regular expression for what turns an English statement round.';

create function cortex.is_negated(statement text) returns boolean
language sql immutable set search_path = ''
return regexp_count(cortex.plain_words(statement), cortex.negations()) % 2 = 1;
comment on function cortex.is_negated(text) is 'Whether a statement holds an odd number of negations: no longer, not, never, stopped, used to …';

create function cortex.is_alternative(statement text) returns boolean
language sql immutable set search_path = ''
return cortex.plain_words(statement) ~ '\minstead\M';
comment on function cortex.is_alternative(text) is 'Whether a statement says that it takes the place of another.';

-- Pronouns and prepositions stay: "I like tea" and "my brother no longer likes tea" are about two people.
create function cortex.core_text(statement text) returns text
language sql immutable set search_path = ''
return regexp_replace(regexp_replace(cortex.plain_words(statement), cortex.negations(), ' ', 'g'),
  '\m(any ?more|any longer|instead|now|currently|still|already|actually|a|an|the|do|does|did|am|is|are|was|were|be|been|has|have|had|and|but|so)\M',
  ' ', 'g');
comment on function cortex.core_text(text) is 'A statement without negations, cues of change, articles and auxiliaries.';

create function cortex.core_words(statement text) returns text[]
language sql immutable set search_path = ''
return (
  select coalesce(array_agg(coalesce((ts_lexize('pg_catalog.english_stem', word))[1], word) order by n), '{}')
  from regexp_split_to_table(cortex.core_text(statement), '[^[:alnum:]]+') with ordinality as words (word, n)
  where word <> '');
comment on function cortex.core_words(text) is 'The stemmed words of a statement in order, without what may differ in a reversal.';

create function cortex.opposes(one text, other text) returns boolean
language sql immutable set search_path = ''
return cortex.is_negated(one) <> cortex.is_negated(other) or cortex.is_alternative(one) <> cortex.is_alternative(other);
comment on function cortex.opposes(text, text) is 'Whether one of two statements is negated, or says "instead", and the other is not.';

create function cortex.is_of_a_day(statement text) returns boolean
language sql immutable set search_path = ''
return statement ~* '\m(today|yesterday|tonight|tomorrow|this|last|next)\M';
comment on function cortex.is_of_a_day(text) is 'Whether a statement speaks of one day or occasion, so that its opposite on another day takes nothing back.';

create function cortex.is_statement(content text) returns boolean
language sql immutable set search_path = ''
return char_length(content) <= 300 and content !~ '\?\s*$' and content !~ '[.!;]\s+\S|\n\s*\S';
comment on function cortex.is_statement(text) is 'One short sentence that is no question: what can be compared word by word.';

create function cortex.statement_key(content text) returns bigint
language plpgsql immutable set search_path = ''
as $$
declare
  words constant text[] := case when cortex.is_statement(content) then cortex.core_words(content) end;
begin
  if cardinality(words) >= 2 then
    return hashtextextended((select string_agg(distinct w collate "C", ' ' order by w collate "C") from unnest(words) w), 0);
  end if;
  return null;
end;
$$;
comment on function cortex.statement_key(text) is
  'The same for two short statements of the same words in any order, negations and articles apart; null for longer texts, questions and single words.';

-- To read every memory that holds the words would cost a capture more the more there are.
create index memories_statement_idx on public.memories (owner_id, cortex.statement_key(content))
  where archived_at is null and valid_to is null and cortex.statement_key(content) is not null;

create function cortex.same_words(memory public.memories) returns setof public.memories
language sql stable set search_path = ''
begin atomic
  select m.*
  from public.memories m
  where m.owner_id = memory.owner_id and cortex.statement_key(m.content) = cortex.statement_key(memory.content)
    and m.archived_at is null and m.valid_to is null
    and m.namespace = memory.namespace and m.id <> memory.id
  limit 50;
end;
comment on function cortex.same_words(public.memories) is 'Current statements of the same owner with the words of this one, its negations apart.';
