"""General English: adjectives, verbs, numbers, nationalities, and words that change nothing."""

from types import MappingProxyType

from engine.models.offline.word_sets import words

__all__ = [
    "ADJECTIVES",
    "AGAIN",
    "BUSIEST",
    "COUNTRIES",
    "FILLERS",
    "HAPPENED",
    "NUMBER_WORDS",
    "ORDINALS",
    "VERBS",
]


NUMBER_WORDS = MappingProxyType(
    {
        word: number
        for number, word in enumerate(
            [
                "zero",
                "one",
                "two",
                "three",
                "four",
                "five",
                "six",
                "seven",
                "eight",
                "nine",
                "ten",
                "eleven",
                "twelve",
                "thirteen",
                "fourteen",
                "fifteen",
                "sixteen",
                "seventeen",
                "eighteen",
                "nineteen",
                "twenty",
            ]
        )
    }
    | {"once": 1, "twice": 2, "thirty": 30, "fifty": 50, "hundred": 100, "thousand": 1000, "dozen": 12}
)

ADJECTIVES = MappingProxyType(
    {
        ("long", "short"): "length duration runtime distance time delay",
        ("heavy", "light"): "weight mass payload",
        ("expensive", "cheap"): "price cost fare",
        ("pricey", "cheap"): "price cost fare",
        ("pricy", "cheap"): "price cost fare",
        ("costly", "inexpensive"): "price cost fare",
        ("large", "small"): "size area population employees magnitude",
        ("big", "small"): "size area population employees magnitude",
        ("tall", "short"): "height",
        ("high", "low"): "height altitude elevation",
        ("deep", "shallow"): "depth",
        ("strong", "weak"): "magnitude strength",
        ("dear", "cheap"): "price cost fare",
        ("wide", "narrow"): "width",
        ("fast", "slow"): "speed duration time pace",
        ("hot", "cold"): "temperature",
        ("warm", "cool"): "temperature",
        ("old", "young"): "age",
        ("new", "old"): "date year",
        ("recent", "early"): "date year",
        ("late", "early"): "date year",
        ("rich", "poor"): "income wealth salary",
        ("profitable", "unprofitable"): "profit margin",
        ("populous", "unpopulous"): "population",
        ("wet", "dry"): "precipitation rainfall",
        ("rainy", "dry"): "precipitation rainfall",
        ("windy", "calm"): "wind",
        ("sunny", "cloudy"): "sunshine",
        ("snowy", "dry"): "snowfall snow",
        ("powerful", "weak"): "power horsepower",
        ("efficient", "inefficient"): "efficiency mpg",
        ("lucrative", "unprofitable"): "salary income profit",
        ("paid", "unpaid"): "salary pay wage income earnings",
        ("rated", "unrated"): "rating score points stars",
        ("attended", "unattended"): "attendance",
        ("reviewed", "unreviewed"): "reviews",
        ("delayed", "punctual"): "delay",
        ("crowded", "empty"): "occupancy",
        ("humid", "dry"): "humidity",
        ("dense", "sparse"): "density",
        ("frequent", "rare"): "frequency",
    }
)
"""Pairs of adjectives for more and less, with words of the columns that they compare. Where two columns fit, the
question has two readings. A column of time or speed is less when the adjective is `fast`."""

BUSIEST = words("busy popular common frequent active prolific prevalent")
"""Adjectives that compare how many rows there are."""

VERBS = MappingProxyType(
    {
        "weigh": "weight mass", "cost": "price cost fare", "last": "duration length runtime time",
        "earn": "salary income wage",
        "score": "score points", "measure": "length height size", "rain": "precipitation rainfall rain",
        "snow": "snowfall snow",
        "sell": "sales quantity units revenue",
        "spend": "spend spending total amount revenue sales", "pay": "fare salary price amount fee payment",
        "charge": "price rate fee fare",
        "make": "salary income wage earnings",
        "emit": "emissions co2", "produce": "production output",
        "consume": "consumption usage", "attend": "attendance", "take": "duration time",
    }
)  # fmt: skip
"""Verbs that name a column: “weigh” for a weight."""

COUNTRIES = MappingProxyType(
    {
        "american": ("usa", "us", "united states", "america"), "america": ("usa", "us", "united states"),
        "us": ("usa", "united states"), "usa": ("us", "united states"), "british": ("uk", "united kingdom", "britain"),
        "uk": ("united kingdom",), "english": ("england", "uk"), "french": ("france",), "german": ("germany",),
        "spanish": ("spain",), "dutch": ("netherlands",), "swiss": ("switzerland",), "danish": ("denmark",),
        "swedish": ("sweden",), "finnish": ("finland",), "polish": ("poland",), "greek": ("greece",),
        "turkish": ("turkey",), "irish": ("ireland",), "chinese": ("china",), "japanese": ("japan",),
        "korean": ("korea", "south korea"), "russian": ("russia",), "soviet": ("ussr",), "indian": ("india",),
        "brazilian": ("brazil",), "canadian": ("canada",), "mexican": ("mexico",), "australian": ("australia",),
        "european": ("europe", "eu"), "asian": ("asia",), "african": ("africa",), "italian": ("italy",),
        "norwegian": ("norway",), "portuguese": ("portugal",), "belgian": ("belgium",), "austrian": ("austria",),
        "ukrainian": ("ukraine",), "israeli": ("israel",), "iranian": ("iran",), "argentine": ("argentina",),
    }
)  # fmt: skip
"""Adjectives of countries, with how tables write the country."""

FILLERS = words(
    """
    hi hello hey please pls plz kindly thanks thank thx cheers dear so ok okay well um oh yo btw
    can could you u i we me us let tell show give get got find see know want need
    compute calculate determine report return provide display draw make create build help print list wanna gimme
    what is are was were be been being do does did has have had having there it they them that these those
    actually really basically simply quickly quick just only ever overall altogether
    respectively exactly maybe perhaps am out check look say wondering wonder question lol data something anything
    thing exist exists existed available happen happens happened occur occurs occurred take come go stay account
    generate contribute went run ran cover covers include includes span bring brings brought live lives lived
    done appear appears possible total number
    """
) - words("total number")
"""Words that never change what a question asks, unless they name something in the table."""

HAPPENED = words(
    """
    listed covered represented given included contained measured sold taken made registered recorded reported carried
    conducted performed logged placed held played filed issued submitted visited received bought
    """
)
"""Participles that say only that rows exist, if they follow their noun: “orders placed in May”. Before a noun they
select rows (“registered users”), so they are no fillers there."""

AGAIN = words("back and but now then also again instead same only just what about how too as well so")
"""Words by which a question goes on from the one before."""

ORDINALS = MappingProxyType(
    {
        "first": 1,
        "1st": 1,
        "second": 2,
        "2nd": 2,
        "third": 3,
        "3rd": 3,
        "fourth": 4,
        "4th": 4,
        "fifth": 5,
        "5th": 5,
    }
)
"""Ordinals before the name of a grade: “first class”."""
