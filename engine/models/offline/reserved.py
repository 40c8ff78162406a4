"""Words that SQL keeps for itself: a column of such a name is quoted."""

from engine.models.offline.words import word_list

__all__ = ["RESERVED"]

RESERVED = frozenset(
    word_list("""
        table order group select from where by limit union case when then else end all and any as asc
        desc at both cast check column create default distinct do except exists false for foreign grant
        having in initially intersect into is join lateral leading like not null offset on only or
        placing primary references returning some symmetric then to trailing true unique user using
        variadic window with qualify pivot unpivot describe show summarize end_at
    """)
)
