// Remembers a thought with supabase-js, finds it again and counts what is there.
//
//   SUPABASE_URL=… SUPABASE_KEY=… ACCESS_TOKEN=… node remember.mjs "Rae prefers calls before ten"
import { createClient } from "@supabase/supabase-js";

const { SUPABASE_URL, SUPABASE_KEY, ACCESS_TOKEN } = process.env;
const thought = process.argv[2] ?? "Rae prefers calls before ten";
const supabase = createClient(SUPABASE_URL, SUPABASE_KEY, { accessToken: async () => ACCESS_TOKEN });

async function call(name, args) {
  const { data, error } = await supabase.rpc(name, args);
  if (error) throw new Error(`${error.message} (${error.hint ?? error.code})`);
  return data;
}

const stored = await call("capture_thought", { content: thought, topics: ["examples"] });
const [best] = await call("search_thoughts", { query_text: thought, match_count: 1 });
const all = await call("list_thoughts", { topics: ["examples"] });
console.log(`${stored.status} ${stored.id}`);
console.log(`best match: ${best.content}`);
console.log(`${all.length} thoughts`);
