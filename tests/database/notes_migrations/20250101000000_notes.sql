-- A schema just large enough to test the bootstrap and the runner.
create extension vector with schema extensions;

do $$
begin
  execute format(
    'create table notes (id int primary key, embedding vector(%s))',
    current_setting('pgcortex.embedding_dimensions')
  );
end
$$;

create function shout(text) returns text language sql immutable as $$ select upper($1); $$;
