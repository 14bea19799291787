"""Delegation of tasks to other agents."""

from .agents import Agent, AgentReport, Agents, AgentTask, BackgroundReport
from .model_agent import ModelAgent

__all__ = ["Agent", "AgentReport", "AgentTask", "Agents", "BackgroundReport", "ModelAgent"]
