"""English about measures: which columns `heaviest`, `cost` or `rainfall` speak of, whatever a table calls them.

A concept is a set of words that a column's name may hold. Adjectives and verbs point at concepts with a
direction. Nothing here knows a particular table.
"""

from typing import Final

from engine.models.offline.words import word_list

__all__ = [
    "ADDITIVE", "ADJECTIVES", "COLUMN_WORDS", "COMPARATIVES", "DEMONYMS", "NOUN_FAMILIES", "SAME", "SUPERLATIVES",
    "UNITS", "UNIT_CONCEPTS", "VALUE_WORDS", "VERBS",
]  # fmt: skip


def _table(text: str) -> dict[str, tuple[str, ...]]:
    rows = [line.split(":", 1) for line in text.strip().splitlines()]
    return {name.strip(): tuple(words.split()) for name, words in rows}


COLUMN_WORDS: Final = _table("""
    weight: weight mass wt kg lb tonnage
    length: length len duration runtime time
    duration: duration runtime time minute min hour length stay elapsed
    height: height elevation altitude ht stature
    depth: depth
    width: width breadth
    thickness: thickness
    size: size area carat sqft sqm surface footage volume capacity population headcount
    speed: speed velocity pace kmh kph mph
    acceleration: acceleration
    temperature: temp temperature
    rain: rain rainfall precipitation prcp precip
    wind: wind gust windspeed
    snow: snow snowfall
    sunshine: sunshine sun
    humidity: humidity
    cloud: cloud cloudiness cloudcover
    age: age
    birth: birth born birthday birthdate dob
    built: built construction founded established founding opened release released model vintage joined hired hire
    date: date year day time timestamp
    price: price cost fare fee tariff charge rent msrp premium amount
    pay: salary wage pay income compensation earning earnings
    money: revenue sale gross income turnover earnings takings proceeds amount
    wealth: wealth income gdp networth worth
    profit: profit margin earnings
    spending: spend spending expense cost amount budget sale gross revenue total
    budget: budget
    rating: rating score star grade review
    score: score point goal mark
    power: power hp horsepower kw watt
    strength: strength strongest power magnitude mag
    deaths: death fatality killed dead casualty fatal
    economy: mpg efficiency economy kmpl
    distance: distance mile mileage km
    population: population inhabitant pop
    density: density
    popularity: popularity vote view download play follower listen stream
    vote: vote
    latitude: latitude lat
    longitude: longitude lon lng long
    headcount: size party guest people person passenger occupant member
    delay: delay late lateness
    passenger: passenger rider ridership
    crowd: attendance crowd spectator audience visitor passenger
    noise: noise decibel loudness
    sales: sale sold quantity unit qty revenue
    production: production output produced generation
    generation: generation output production kwh mwh
    consumption: consumption usage used use kwh consumed
    stay: stay night los length duration
    wait: wait waiting
    experience: experience tenure seniority
    brightness: brightness luminosity magnitude
    magnitude: magnitude mag
    pressure: pressure
    viewing: viewer view audience
    discount: discount
""")

_ADJECTIVES: Final = """
    heavy + weight; light - weight; long + length duration distance; lengthy + length duration; tall + height;
    deep + depth; shallow - depth; wide + width; broad + width; narrow - width; thick + thickness; thin - thickness;
    big + size; large + size; small - size; tiny - size; huge + size; fast + speed; quick + speed; slow - speed;
    hot + temperature; warm + temperature; cold - temperature; cool - temperature; chilly - temperature;
    wet + rain; rainy + rain; dry - rain; windy + wind; snowy + snow; sunny + sunshine; humid + humidity;
    cloudy + cloud; old + age; young - age; new + built date; recent + date; cheap - price; pricey + price;
    rich + wealth; poor - wealth; strong + strength; weak - strength; loud + noise; noisy + noise; busy + crowd;
    close - distance; far + distance; near - distance; dense + density; bright + brightness; crowded + crowd;
    early - date; late + delay date; short - length height duration distance
"""
_LONG_ADJECTIVES: Final = """
    expensive + price; costly + price; affordable - price; valuable + price; powerful + power; efficient + economy;
    economical + economy; populous + population; populated + population; profitable + profit; popular + popularity;
    deadly + deaths; lethal + deaths;
    distant + distance; delayed + delay; voted + vote; viewed + viewing; watched + viewing; attended + crowd;
    rated + rating; paid + pay; grossing + money; selling + sales; scoring + score; earning + pay money;
    priced + price; experienced + experience; productive + production; discounted + discount; visited + crowd
"""


def _adjectives(text: str) -> dict[str, tuple[int, tuple[str, ...]]]:
    found = {}
    for entry in text.replace("\n", " ").split(";"):
        word, sign, *concepts = entry.split()
        found[word] = (1 if sign == "+" else -1, tuple(concepts))
    return found


_SHORT: Final = _adjectives(_ADJECTIVES)
ADJECTIVES: Final = {**_SHORT, **_adjectives(_LONG_ADJECTIVES)}
"""Adjective → direction and concepts, most likely first."""


def _grown(word: str, ending: str) -> str:
    if word.endswith("e"):
        return word + ending[1:]
    if word.endswith("y"):
        return word[:-1] + "i" + ending
    if word in ("hot", "big", "thin", "wet", "dim", "fat"):
        return word + word[-1] + ending
    return word + ending


COMPARATIVES: Final = {_grown(word, "er"): value for word, value in _SHORT.items()} | {
    "farther": (1, ("distance",)), "further": (1, ("distance",)),
}  # fmt: skip
SUPERLATIVES: Final = {_grown(word, "est"): value for word, value in _SHORT.items()} | {
    "deadliest": (1, ("deaths",)), "northernmost": (1, ("latitude",)), "southernmost": (-1, ("latitude",)),
    "easternmost": (1, ("longitude",)), "westernmost": (-1, ("longitude",)),
    "dryest": (-1, ("rain",)), "furthest": (1, ("distance",)), "farthest": (1, ("distance",)),
}  # fmt: skip

VERBS: Final = {
    "died": "deaths", "die": "deaths", "killed": "deaths", "kill": "deaths", "kills": "deaths",
    "weigh": "weight", "weighed": "weight", "weighs": "weight", "weighing": "weight",
    "cost": "price", "costs": "price", "costing": "price", "priced": "price", "charge": "price", "charged": "price",
    "pay": "pay money spending price", "pays": "pay money spending price", "earn": "pay money",
    "earns": "pay money", "earned": "pay money", "earning": "pay money", "paid": "pay",
    "gross": "money", "grossed": "money", "grossing": "money", "rained": "rain", "rains": "rain", "rain": "rain",
    "snowed": "snow", "rated": "rating", "scored": "score", "scores": "score", "aged": "age",
    "consume": "consumption", "consumed": "consumption", "consumes": "consumption", "generate": "generation",
    "generated": "generation", "generates": "generation", "produce": "production", "produced": "production",
    "produces": "production", "spend": "spending", "spent": "spending", "spends": "spending",
    "sell": "sales", "sold": "sales", "sells": "sales", "delayed": "delay", "attended": "crowd",
    "lasted": "duration", "lasts": "duration", "stayed": "stay", "waited": "wait", "wait": "wait",
    "travelled": "distance", "traveled": "distance", "covered": "distance",
}  # fmt: skip
"""Verb → concepts; where no column answers to them, some of these are mere verbs (see the lexicon)."""

SAME: Final = tuple(
    frozenset(line.split())
    for line in """
    precipitation rain rainfall prcp precip
    mass weight
    salary wage pay earnings compensation
    revenue sale turnover takings
    gross revenue earnings takings box-office
    price cost
    spend spending expense
    rating score star
    quantity qty unit
    temperature temp
    duration runtime length
    gender sex
    country nation
    brand make manufacturer maker
    department dept
    company firm
    mileage odometer
    horsepower hp
    mpg fuel-economy fuel-efficiency gas-mileage miles-per-gallon
    bedroom bed
    bathroom bath
    area surface sqft sqm
    population inhabitant
    passenger rider traveler
    doctor physician
    attendance spectator crowd
    club team side
    consumption usage
    category type kind
    location place
    profession occupation job
    position role
    status state
    region area
    wind windspeed
    humidity moisture
    discount rebate
    kind sort type
    neighborhood district
    elevation altitude
    time-of-day hour
    age year-of-age
    staff employee
    rent price
    score mark
    amount revenue
    """.strip().splitlines()
)
"""Nouns that may stand for each other in a column's name."""

ADDITIVE: Final = frozenset(
    word_list("""
        revenue sale gross unit quantity qty amount profit precipitation rain rainfall prcp snow
        snowfall passenger goal point assist visitor visit order sold production output generation
        consumption usage kwh mwh energy attendance expense spend spending spent click view download
        vote death case birth injury fine donation export import emission income turnover takings total
        count number volume night seat box water waste ride trip call ticket return refund stream play
        download listen shot person people population
        employed unemployed card foul minute stock inventory tonne shipment delivered win loss
    """)
)
"""Words of columns whose values make sense summed up."""

UNITS: Final = {
    "mm": ("length", 0.001), "cm": ("length", 0.01), "m": ("length", 1.0), "meter": ("length", 1.0),
    "km": ("length", 1000.0),
    "kilometer": ("length", 1000.0), "mile": ("length", 1609.344), "mi": ("length", 1609.344),
    "ft": ("length", 0.3048),
    "foot": ("length", 0.3048), "inch": ("length", 0.0254),
    "g": ("mass", 0.001), "gram": ("mass", 0.001), "kg": ("mass", 1.0), "kilo": ("mass", 1.0),
    "kilogram": ("mass", 1.0),
    "lb": ("mass", 0.45359237), "pound": ("mass", 0.45359237), "ton": ("mass", 1000.0), "tonne": ("mass", 1000.0),
    "sec": ("time", 1.0), "second": ("time", 1.0), "s": ("time", 1.0), "min": ("time", 60.0),
    "minute": ("time", 60.0),
    "h": ("time", 3600.0), "hour": ("time", 3600.0), "day": ("time", 86400.0), "week": ("time", 604800.0),
    "year": ("years", 1.0), "month": ("months", 1.0),
    "usd": ("money", 1.0), "dollar": ("money", 1.0), "buck": ("money", 1.0), "eur": ("euro", 1.0),
    "euro": ("euro", 1.0),
    "gbp": ("sterling", 1.0), "cent": ("money", 0.01),
    "pct": ("percent", 1.0), "percent": ("percent", 1.0), "%": ("percent", 1.0),
    "degree": ("temperature", 1.0), "celsius": ("temperature", 1.0), "c": ("temperature", 1.0),
    "f": ("fahrenheit", 1.0),
    "fahrenheit": ("fahrenheit", 1.0), "mph": ("speed", 0.44704), "kmh": ("speed", 1 / 3.6),
    "kph": ("speed", 1 / 3.6),
    "ms": ("speed", 1.0), "hp": ("power", 1.0), "kw": ("power", 1.34102), "kwh": ("energy", 1.0),
    "gwh": ("energy", 1e6), "twh": ("energy", 1e9), "wh": ("energy", 0.001), "ppm": ("parts", 1.0),
    "lux": ("light", 1.0), "bpm": ("beats", 1.0), "psi": ("pressure", 68.95), "knot": ("speed", 0.5144),
    "mwh": ("energy", 1000.0),
    "sqm": ("area", 1.0), "sqft": ("area", 0.09290304), "m2": ("area", 1.0), "star": ("rating", 1.0),
    "point": ("score", 1.0),
    "parsec": ("length", 3.0857e16),
    "ly": ("length", 9.4607e15), "l": ("volume", 1.0),
    "liter": ("volume", 1.0), "ml": ("volume", 0.001), "gallon": ("volume", 3.785),
    "mg": ("mass", 1e-6), "hpa": ("pressure", 1.0), "db": ("noise", 1.0), "mbar": ("pressure", 1.0),
}  # fmt: skip
"""Unit → what it measures, and how many of that kind's base unit it is."""

UNIT_CONCEPTS: Final = {
    "length": "length height depth width distance", "mass": "weight", "time": "duration wait delay stay",
    "years": "age experience", "months": "age experience", "money": "price money pay profit spending budget",
    "euro": "price money pay profit spending budget", "sterling": "price money pay profit spending budget",
    "percent": "humidity discount", "temperature": "temperature", "fahrenheit": "temperature", "speed": "speed wind",
    "power": "power", "energy": "consumption generation", "area": "size", "rating": "rating", "score": "score",
    "volume": "consumption size", "pressure": "pressure", "noise": "noise",
}  # fmt: skip

DEMONYMS: Final = {
    "american": "usa us united-states america", "european": "europe eu", "japanese": "japan", "german": "germany",
    "french": "france", "italian": "italy", "spanish": "spain", "british": "uk united-kingdom britain great-britain",
    "english": "england", "scottish": "scotland", "irish": "ireland", "dutch": "netherlands", "belgian": "belgium",
    "swiss": "switzerland", "austrian": "austria", "swedish": "sweden", "norwegian": "norway", "danish": "denmark",
    "finnish": "finland", "polish": "poland", "portuguese": "portugal", "greek": "greece", "turkish": "turkey",
    "russian": "russia", "chinese": "china", "indian": "india", "korean": "korea south-korea", "asian": "asia",
    "african": "africa", "australian": "australia", "canadian": "canada", "mexican": "mexico", "brazilian": "brazil",
    "argentinian": "argentina", "argentine": "argentina", "egyptian": "egypt", "colombian": "colombia",
    "ethiopian": "ethiopia", "kenyan": "kenya", "vietnamese": "vietnam", "indonesian": "indonesia",
    "thai": "thailand",
    "czech": "czechia czech-republic", "hungarian": "hungary", "northern": "north", "southern": "south",
    "eastern": "east", "western": "west", "central": "center centre", "states": "usa us united-states",
    "europeans": "europe", "americans": "usa us united-states america", "britain": "uk united-kingdom",
    "america": "usa us united-states", "us": "usa united-states", "usa": "us united-states", "uk": "united-kingdom",
}  # fmt: skip

VALUE_WORDS: Final = {
    "male": "m man men boy", "female": "f woman women girl", "man": "male m", "woman": "female f", "boy": "male m",
    "girl": "female f", "guy": "male m", "lady": "female f", "gentleman": "male m", "girls": "female f",
    "1st": "first", "2nd": "second",
    "3rd": "third", "4th": "fourth",
    "yes": "y true", "no": "n false", "monday": "mon", "tuesday": "tue", "wednesday": "wed", "thursday": "thu thur",
    "friday": "fri", "saturday": "sat", "sunday": "sun", "sunny": "sun clear", "gasoline": "petrol gas",
    "online": "web internet", "web": "online", "movie": "film",
}  # fmt: skip
"""Words for values that are often spelled otherwise in a table."""

NOUN_FAMILIES: Final = tuple(
    frozenset(line.split())
    for line in """
    person people employee staff worker colleague human individual man woman
    customer client buyer shopper guest
    patient person people case
    student pupil person people learner
    passenger traveler person people
    player footballer athlete person people sportsman
    car vehicle automobile auto model
    movie film picture title
    penguin bird animal individual
    diamond stone gem jewel
    order sale transaction purchase deal
    flight trip journey departure connection
    ride trip journey taxi cab
    match game fixture
    house home property listing apartment flat building place estate
    visit admission appointment stay case encounter patient
    booking reservation stay
    match game fixture
    reading measurement observation sample record
    day date
    stock share company ticker
    country nation state
    city town place
    book title
    song track
    product item article
    store shop branch
    restaurant place
    event incident occurrence
    death victim fatality casualty person people
    earthquake quake event
    plant flower specimen
    meal bill tip order table party visit
    hotel place
    wine bottle
    ticket case issue request
    call conversation
    session visit
    song track title
    team club
    loan credit
    return refund
    sensor device station
    """.strip().splitlines()
)
"""Words for the same kind of thing: what a table's rows may be called."""
