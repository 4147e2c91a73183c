"""Sends the JSON of standard input as a signal: what any team's Python service may do.

Usage: send-signal.py ADDRESS WORKFLOW_ID SIGNAL
"""

import asyncio
import json
import os
import sys

from temporalio.client import Client


async def main(address: str, workflow_id: str, signal: str) -> None:
    client = await Client.connect(address)
    await client.get_workflow_handle(workflow_id).signal(signal, json.load(sys.stdin))


asyncio.run(main(*sys.argv[1:]))
# The SDK's threads can abort the interpreter while it ends; the server has the signal by now.
os._exit(0)
