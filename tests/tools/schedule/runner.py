"""A process that runs the tasks of a file, and prints each run; with "hang", it says so and does not end."""

import asyncio
import sys
import time

from toolcast_tools.schedule import Schedule, ScheduledRun

PATH, NOW, PROMPT = sys.argv[1], float(sys.argv[2]), sys.argv[3]


async def run(run: ScheduledRun) -> None:
    print(run.name, run.due.timestamp(), flush=True)
    if PROMPT == "hang":
        await asyncio.to_thread(time.sleep, 1000)


async def main() -> None:
    begun = time.time()
    schedule = Schedule(PATH, run, clock=lambda: NOW + time.time() - begun, max_running=100)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await schedule.run_due()
    await schedule.aclose()


asyncio.run(main())
