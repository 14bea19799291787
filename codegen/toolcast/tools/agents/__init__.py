"""Delegation of tasks to other agents."""

from .agent import Agent, AgentReport, AgentTask
from .agents import Agents
from .background import BackgroundReport
from .model_agent import ModelAgent

__all__ = ["Agent", "AgentReport", "AgentTask", "Agents", "BackgroundReport", "ModelAgent"]
