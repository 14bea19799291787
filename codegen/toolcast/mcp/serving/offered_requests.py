"""The handlers of requests for resources, prompts and completions, for those that a program offers."""

from typing import Any

from .completions import Completions
from .offered_functions import OfferedFunctions, Remember
from .offered_prompts import OfferedPrompts
from .offered_resources import OfferedResources
from .prompts import Prompts
from .resources import Resources


def request_handlers(
    functions: OfferedFunctions, remember: Remember, resources: Resources | None, prompts: Prompts | None
) -> dict[str, Any]:
    """The options of the SDK's server; what is not offered is no capability of it."""
    handlers: dict[str, Any] = {}
    if resources is not None:
        asked = OfferedResources(resources, functions, remember)
        handlers |= {
            "on_list_resources": asked.list,
            "on_list_resource_templates": asked.list_templates,
            "on_read_resource": asked.read,
            "on_subscribe_resource": asked.subscribe,
            "on_unsubscribe_resource": asked.unsubscribe,
        }
    if prompts is not None:
        made = OfferedPrompts(prompts, functions, remember)
        handlers |= {"on_list_prompts": made.list, "on_get_prompt": made.get}
    if handlers:
        completions = Completions(resources or Resources(), prompts or Prompts(), functions)
        handlers["on_completion"] = completions.complete
    return handlers
