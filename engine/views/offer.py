"""What the page may know of models and tools: their names, and questions to begin with."""

from engine.models.offline.suggest import opening_questions
from engine.models.registry import model_title
from engine.tools.tool import Tool

__all__ = ["Tool", "model_title", "opening_questions"]
