"""Remembers a thought with the Python client, finds it again and counts what is there.

SUPABASE_URL=… SUPABASE_KEY=… ACCESS_TOKEN=… python remember.py "We decided on annual pricing"
"""

from __future__ import annotations

import os
import sys

from pydantic import SecretStr

from pgcortex import Cortex, Filters, Settings

thought = sys.argv[1] if len(sys.argv) > 1 else "We decided on annual pricing because of churn"
settings = Settings(
    supabase_url=os.environ["SUPABASE_URL"],
    supabase_key=SecretStr(os.environ["SUPABASE_KEY"]),
    access_token=SecretStr(os.environ["ACCESS_TOKEN"]),
)

with Cortex(settings) as brain:
    stored = brain.capture(thought, topics=["examples"])
    best = brain.search(thought, limit=1)[0]
    everything = brain.list_thoughts(filters=Filters(topics=["examples"]))
    print(stored.status, stored.id)
    print("best match:", best.content)
    print(len(everything), "thoughts")
