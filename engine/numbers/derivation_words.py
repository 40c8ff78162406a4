"""Words that say how a number was computed."""

import re

from engine.numbers.fitting import DOWN, UP
from engine.numbers.words import forms

__all__ = [
    "COMPARED",
    "COMPUTED",
    "EACH",
    "IN_BRACKETS",
    "MEAN",
    "MEDIAN",
    "MOVES",
    "REST",
    "SHARE",
    "SUM",
]

SUM = forms(
    "total sum overall combined combine together altogether all both across summed grand collectively jointly aggregate"
    " entire whole cumulative every plus add adding between up year quarter"
    " everything everyone everybody ensemble insgesamt zusammen juntos"
)
SHARE = forms(
    "share of account accounted represent represented make made contribute contributed contribution comprise total"
    "  gesamtumsatz gesamtumsatzes gesamt insgesamt anteil"
    " accounting responsible hold holding bring brought concentrated driven come came from generated overall del parte"
)
REST = forms(
    "leaving leaves free spare unused vacant"
    " rest other others remaining remainder else elsewhere outside kept keep stayed stay not without non"
    " excluding except unaffected unexplained so"
)
COMPARED = forms(
    "than behind ahead lead difference versus vs margin between compared against over outsold beat outperform apart"
    " trail edge separate differ before after missing span range wide swing lift gain uplift saving advantage gives"
    " clear"
    " sooner later earlier faster slower quicker older younger longer shorter heavier lighter warmer colder hotter"
    " cooler"
    " cheaper dearer closer farther further bigger smaller larger taller stronger weaker better wider narrower deeper"
    " plus moins mehr weniger más menos différence unterschied diferencia"
)
MOVES = UP | DOWN | COMPARED | forms("change by swing net moved move shift up to delta plus minus")
IN_BRACKETS = re.compile(r"[^.;,\d()]{0,30}\([*_`]*")
"""The text between a number and a remark about it in brackets: "1,904 lack an address (3.9%)"."""
MEAN, MEDIAN = (
    forms("mean typical per roughly durchschnitt durchschnittlich schnitt moyenne promedio media"),
    forms("median"),
)
EACH = forms("per each every apiece worth average mean dividing divided ratio ppm")
COMPUTED = (UP | DOWN | COMPARED | SUM | SHARE | REST | EACH | MEAN) - forms(
    "of year quarter between so from"
)
"""Words that indicate a computed number."""
