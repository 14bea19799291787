"""A process that stores memories without end, and prints the id of each that was acknowledged."""

import sys

from toolcast.runtime import ToolContext
from toolcast_tools.generated.memory.memory_store import MemoryStoreParams
from toolcast_tools.memory import Memory

memory = Memory(sys.argv[1], max_memories=1_000_000)
number = 0
while len(sys.argv) < 4 or number < int(sys.argv[3]):
    number += 1
    params = MemoryStoreParams(content=f"statement {sys.argv[2]} {number} " + "x" * 2000)
    item = memory.memory_store(params, ToolContext())
    print(item.id, number, flush=True)
