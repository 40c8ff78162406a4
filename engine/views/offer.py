"""What the page may know of models and tools: their names, and questions to begin with."""

from engine.models.offers import ProviderOffer
from engine.models.offline.suggest import opening_questions
from engine.models.registry import model_title
from engine.tools.tool import Tool

__all__ = ["ProviderOffer", "Tool", "model_title", "opening_questions"]
