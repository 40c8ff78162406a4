"""General English that the analyst knows: what words have in common, not what any table contains."""

from types import MappingProxyType

__all__ = [
    "ADDS",
    "ADJECTIVES",
    "AVERAGES",
    "BUSIEST",
    "COUNTRIES",
    "GENERIC_NOUNS",
    "KINDS",
    "NUMBER_WORDS",
    "PEOPLE",
    "ROW_NOUNS",
    "SHORT_WORDS",
    "SYNONYMS",
    "UNITS",
    "VALUE_SYNONYMS",
    "VERBS",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SYNONYMS = tuple(
    _words(line)
    for line in """
        revenue sale turnover
        price cost fare
        salary pay wage income earnings
        expense spending
        customer client buyer shopper subscriber account
        order purchase
        product item article
        company firm business organisation organization
        employee staff worker
        film movie
        car vehicle automobile auto
        color colour
        gender sex
        town city
        nation country
        birth baby newborn child kid
        quantity unit piece
        score rating point
        match game fixture
        earthquake quake event
        incident event crime
        checkout loan
        wine bottle
        inspection visit
        listing property place
        income salary
        crowd attendance
        length duration
        runtime duration
        kind type category
        rainfall precipitation rain
        mass weight
        team club
        shop store outlet
        trip ride journey
        flight departure
        rocket vehicle
        ship vessel
        house home property
        visit visitor
        date day
        begin start
        finish end
        amount sum
        subject topic
        airline carrier
        result outcome
        success outcome
        manufacturer brand maker make
        major degree
        unemployment jobless
        student pupil
        ticket case issue
        status state
        region area
        rank position
        bike bicycle
        mileage mile odometer
        location place site
        agent representative rep
        doctor physician
        student enrollment
        vote ballot
        reply response
        budget spend
        bedroom bed
        bathroom bath
    """.strip().splitlines()
)
"""Groups of words of which one may stand for another in a column's name."""

SHORT_WORDS = MappingProxyType(
    {
        "temp": "temperature", "temperatures": "temperature", "avg": "average", "mean": "average", "max": "maximum",
        "min": "minimum", "qty": "quantity", "num": "number", "no": "number", "nr": "number", "nb": "number",
        "amt": "amount", "pct": "percent", "percentage": "percent", "dept": "department", "desc": "description",
        "yr": "year", "mo": "month", "dob": "birthdate", "addr": "address", "tel": "phone", "id": "id",
        "lat": "latitude", "lon": "longitude", "lng": "longitude", "cat": "category", "prod": "product",
        "cust": "customer", "emp": "employee", "mgr": "manager", "hrs": "hours", "mins": "minutes", "secs": "seconds",
        "pop": "population", "gdp": "gdp", "hp": "horsepower", "rev": "revenue", "acc": "account", "txn": "transaction",
        "dist": "distance", "dur": "duration", "sqft": "area", "sqm": "area", "bldg": "building", "req": "request",
        "resp": "response", "abv": "alcohol", "mag": "magnitude", "alt": "altitude",
        "elev": "elevation", "amp": "amplitude", "freq": "frequency", "vol": "volume", "cap": "capacity",
        "lvl": "level", "msg": "message", "img": "image", "loc": "location", "grp": "group", "org": "organization",
        "cnt": "count", "val": "value", "svc": "service", "yrs": "years",
        "mfr": "manufacturer", "sal": "salary", "std": "standard", "tot": "total",
        "dep": "departure", "arr": "arrival", "orig": "origin", "dest": "destination", "wt": "weight", "ht": "height",
    }
)  # fmt: skip
"""Abbreviations in names of columns, with the words that people say."""

UNITS = _words(
    """
    gram grams mm cm m km mi mile miles g kg lb lbs ton tons tonne tonnes usd eur gbp dollar dollars euro euros
    pound pounds
    yrs wks mos kt
    min mins minute minutes h hr hrs hour hours s sec secs second seconds ms day days week weeks month months year years
    pct percent c f kwh kw mw hp mph kmh kph ft feet foot inch inches sqft sqm m2 km2 acres carat carats cents degrees
    mt bn ppm ppb ug celsius fahrenheit liters litres gb mb kb points
    """
)
"""Units at the end of a column's name, and behind a number."""

ADDS = _words(
    """
    revenue sale sales turnover amount amounts total totals quantity count counts profit spending spend expense expenses
    gross precipitation rainfall rain snowfall snow passengers visitors visits views clicks votes units births deaths
    population donation donations budget payment payments volume enrollment emission emissions goals orders shipments
    downloads signups conversions impressions sessions production output catch harvest tips tip tax
    co2 gdp energy
    violations seats tickets injuries accidents incidents complaints followers likes comments reviews wins losses
    assists cards shots medals nights guests calls
    kwh mwh wh kcal calories gallons litres liters
    employed unemployed men women boys girls people
    """
)
"""Words of columns whose sum is what one asks for."""

AVERAGES = _words(
    """
    rate ratio percent percentage share price average mean median score rating age temperature weight mass height
    width depth speed latitude longitude index level grade size horsepower mpg pressure humidity wind density
    per delay efficiency mileage acceleration salary wage length percentile p25 p75 p25th p75th p10 p90 bmi iq gpa
    expectancy fertility consumption intensity aqi pm10 pm2 no2 so2 o3 co ozone adr
    """
)
"""Words of columns whose sum means nothing, so that their average is what one asks for."""

ROW_NOUNS = _words("ones row record entry observation line case item datapoint datum thing result")
"""Nouns for the rows of any table."""

KINDS = (
    (1, "age sex gender birthdate", "person people participant individual everyone everybody anyone staff"),
    (2, "cylinder cylinders horsepower mpg mileage odometer engine transmission displacement fuel",
     "car vehicle automobile"),
    (2, "vin make model msrp", "car vehicle automobile"),
    (2, "variety winery vintage vineyard abv", "wine bottle"),
    (2, "bedroom bedrooms bathroom bathrooms sqft lot beds baths", "house home property"),
    (2, "imdb director genre runtime actor studio", "film movie"),
    (2, "author publisher isbn pages", "book"),
)  # fmt: skip
"""How many of these words the columns of a table of such things have at least, and nouns for its rows."""

PEOPLE = _words("person people user folk member guy individual")
"""Nouns that may follow a value of people: “casual users”."""

VALUE_SYNONYMS = (_words("female f woman women girl girls females"), _words("male m man men boy boys males"))
"""Words that tables and people use for the same value."""

GENERIC_NOUNS = _words(
    "type kind category group name value count grade level class number code field column figure use usage"
)
"""Nouns that may follow a column's name without a meaning of their own: “weather type”."""

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
    | {"thirty": 30, "fifty": 50, "hundred": 100, "thousand": 1000, "dozen": 12}
)


ADJECTIVES = MappingProxyType(
    {
        ("long", "short"): "length duration runtime distance time delay",
        ("heavy", "light"): "weight mass payload",
        ("expensive", "cheap"): "price cost fare",
        ("pricey", "cheap"): "price cost fare",
        ("pricy", "cheap"): "price cost fare",
        ("costly", "inexpensive"): "price cost fare",
        ("large", "small"): "size area population employees",
        ("big", "small"): "size area population employees",
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

BUSIEST = _words("busy popular common frequent active prolific prevalent")
"""Adjectives that compare how many rows there are."""

VERBS = MappingProxyType(
    {
        "weigh": "weight mass", "cost": "price cost fare", "last": "duration length runtime time",
        "earn": "salary income wage",
        "score": "score points", "measure": "length height size", "rain": "precipitation rainfall rain",
        "snow": "snowfall snow",
        "sell": "sales quantity units revenue",
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
