#!/bin/sh
# Remembers a thought with curl, finds it again and lists what is there.
#
#   SUPABASE_URL=… SUPABASE_KEY=… ACCESS_TOKEN=… sh remember.sh "The printer needs A4 paper"
set -eu

thought=${1:-The printer needs A4 paper}
# JSON needs these two characters escaped; a program would use a library for it.
quoted=$(printf '%s' "$thought" | sed 's/\\/\\\\/g; s/"/\\"/g')

call() {
  curl --fail-with-body --silent --show-error "$SUPABASE_URL/rest/v1/rpc/$1" \
    --header "apikey: $SUPABASE_KEY" \
    --header "Authorization: Bearer $ACCESS_TOKEN" \
    --header "Content-Type: application/json" \
    --data "$2"
  echo
}

call capture_thought "{\"content\": \"$quoted\", \"topics\": [\"examples\"]}"
call search_thoughts "{\"query_text\": \"$quoted\", \"match_count\": 1}"
call list_thoughts '{"topics": ["examples"]}'
