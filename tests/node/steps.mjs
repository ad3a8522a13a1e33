// Does a list of steps with supabase-js, signed in as one user, and prints what each answered.
//
//   node steps.mjs URL KEY [TOKEN] < steps.json
//
// A step is {"rpc": name, "args": {…}}, {"insert": table, "row": {…}} or {"select": table}. The answer is a JSON list of
// {data, error, status}. Without TOKEN the caller is anon.
import { createClient } from "@supabase/supabase-js";
import { text } from "node:stream/consumers";

const [url, key, token] = process.argv.slice(2);
const client = createClient(url, key, token ? { accessToken: async () => token } : {});

function run(step) {
  if (step.rpc) return client.rpc(step.rpc, step.args);
  if (step.insert) return client.from(step.insert).insert(step.row).select();
  return client.from(step.select).select();
}

const answers = [];
for (const step of JSON.parse(await text(process.stdin))) {
  const { data, error, status } = await run(step);
  answers.push({ data, error, status });
}
console.log(JSON.stringify(answers));
