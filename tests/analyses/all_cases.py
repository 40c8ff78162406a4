"""All ten analyses."""

from tests.analyses.cleaning import JOIN, MESSY
from tests.analyses.documents import DATABASE, PDF
from tests.analyses.people import COHORTS, FUNNEL
from tests.analyses.statistics import CLUSTERS, REGRESSION, SEASONS, T_TEST

__all__ = ["CASES"]

CASES = (MESSY, JOIN, REGRESSION, SEASONS, T_TEST, CLUSTERS, FUNNEL, COHORTS, PDF, DATABASE)
