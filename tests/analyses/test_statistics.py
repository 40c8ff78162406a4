"""A regression with robust errors, a seasonal series and its forecast, a t-test, and clusters."""

from statistics import fmean, stdev, variance

import numpy as np
import pytest
from scipy import stats

from engine.app.app import App
from tests.analyses.case import play
from tests.analyses.statistics import (
    CLUSTERS,
    REGRESSION,
    SEASONS,
    T_TEST,
    flats,
    harvest,
    members,
    visitors,
)


@pytest.mark.long
def test_a_regression_reports_robust_standard_errors_and_a_p_value(app: App) -> None:
    """HC3 by its formula: each residual is divided by one minus its leverage."""
    played = play(app, REGRESSION)
    area, rent = (np.array(column) for column in zip(*flats(), strict=True))
    design = np.column_stack([np.ones(len(area)), area])
    inverse = np.linalg.inv(design.T @ design)
    weights = inverse @ design.T @ rent
    rest = rent - design @ weights
    leverage = np.einsum("ij,jk,ik->i", design, inverse, design)
    scaled = design * (rest / (1 - leverage))[:, None]
    error = np.sqrt((inverse @ scaled.T @ scaled @ inverse)[1, 1])
    assert played.number("square metre costs") == pytest.approx(weights[1], abs=1e-4)
    assert played.number("robust standard error") == pytest.approx(error, abs=1e-4)
    p_value = 2 * stats.norm.sf(abs(weights[1] / error))
    assert played.number("p =") == pytest.approx(p_value, rel=0.01)
    explained = 1 - (rest @ rest) / ((rent - rent.mean()) @ (rent - rent.mean()))
    assert played.number("R² =") == pytest.approx(explained, abs=1e-6)
    assert "150 flats" in played.answer


@pytest.mark.long
def test_a_series_is_decomposed_and_forecast(app: App) -> None:
    played = play(app, SEASONS)
    values = [value for _, value in visitors()]
    trend = [
        (values[n - 6] / 2 + sum(values[n - 5 : n + 6]) + values[n + 6] / 2) / 12
        for n in range(6, len(values) - 6)
    ]
    rest = [values[n + 6] - level for n, level in enumerate(trend)]
    effects = [fmean(rest[(month - 6) % 12 :: 12]) for month in range(12)]
    largest = max(range(12), key=lambda month: effects[month])
    assert played.number("The season is highest in") == pytest.approx(
        effects[largest] - fmean(effects), abs=0.01
    )
    assert f"highest in {('March', 'April', 'May')[largest - 2]}" in played.answer
    assert played.number("months have a mean of") == pytest.approx(900 + 6 * 77.5, rel=0.01)
    assert "next 12 months" in played.answer


@pytest.mark.long
def test_two_groups_are_compared_with_welchs_test(app: App) -> None:
    played = play(app, T_TEST)
    treated, control = harvest()
    parts = [variance(group) / len(group) for group in (treated, control)]
    error = sum(parts) ** 0.5
    difference = fmean(treated) - fmean(control)
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(group) - 1) for part, group in zip(parts, (treated, control), strict=True)
    )
    margin = stats.t.ppf(0.975, freedom) * error
    assert stdev(control) > stdev(treated)
    assert played.number("Treated plants yield") == pytest.approx(difference, abs=1e-4)
    assert played.number("95 % from") == pytest.approx(difference - margin, abs=1e-4)
    assert played.number("t =") == pytest.approx(difference / error, abs=1e-4)
    assert played.number("df =") == pytest.approx(freedom, abs=1e-3)
    p_value = 2 * stats.t.sf(abs(difference / error), freedom)
    assert played.number("p =") == pytest.approx(p_value, abs=1e-5)
    assert played.number("left out:") == 1
    assert "1 row without kilos is not drawn" in played.told()


@pytest.mark.long
def test_clusters_match_the_groups_that_the_members_were_generated_from(app: App) -> None:
    played = play(app, CLUSTERS)
    assert played.number("There are") == 3
    for kind in range(3):
        group = [(visits, spent) for of, visits, spent in members() if of == kind]
        visits, spent = (fmean(column) for column in zip(*group, strict=True))
        assert f"- {len(group)} members with {visits:.2f} visits and {spent:.2f} spent" in played.answer
    assert "data:image/png;base64," in played.told()
