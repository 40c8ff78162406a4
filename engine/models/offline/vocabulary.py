"""General English that the analyst knows: what words have in common, not what any table contains."""

from types import MappingProxyType

from engine.models.offline.word_sets import words

__all__ = [
    "ADDS",
    "AVERAGES",
    "GENERIC_NOUNS",
    "KINDS",
    "PEOPLE",
    "ROW_NOUNS",
    "SHORT_WORDS",
    "SYNONYMS",
    "UNITS",
    "VALUE_SYNONYMS",
]


SYNONYMS = tuple(
    words(line)
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
        region area neighborhood neighbourhood district
        population inhabitant resident people
        salary compensation
        cost expense
        internet online
        payment paid
        delay lateness
        teacher instructor professor
        author writer
        seller vendor merchant
        supplier vendor
        warehouse depot
        message email
        purchase transaction sale
        country nationality
        neighborhood borough
        language tongue
        level tier plan
        member membership
        occupation profession job
        position role title
        power horsepower
        grade mark
        satisfaction csat
        balance amount
        discount rebate
        page view
        visitor user
        session visit
        tax vat
        weekday day
        road street
        school university college
        patient case
        death fatality
        injury casualty
        goal score
        athlete runner
        coach manager
        genre category
        director filmmaker
        studio company
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

UNITS = words(
    """
    gram grams mm cm m km mi mile miles g kg lb lbs ton tons tonne tonnes usd eur gbp dollar dollars euro euros
    pound pounds
    yrs wks mos kt
    min mins minute minutes h hr hrs hour hours s sec secs second seconds ms day days week weeks month months year years
    pct percent c f kwh kw mw hp mph kmh kph ft feet foot inch inches sqft sqm m2 km2 acres carat carats cents degrees
    m3 cm3 ft3 gallons kva volts gwh twh knots knot bpm rpm minutes mwh wh kj kcal mins
    kilometers kilometres kilometre kilometer litre liter
    mt bn ppm ppb ug celsius fahrenheit liters litres gb mb kb points
    """
)
"""Units at the end of a column's name, and behind a number."""

ADDS = words(
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

AVERAGES = words(
    """
    rate ratio percent percentage share price average mean median score rating age temperature weight mass height
    width depth speed latitude longitude index level grade size horsepower mpg pressure humidity wind density
    per delay efficiency mileage acceleration salary wage length percentile p25 p75 p25th p75th p10 p90 bmi iq gpa
    expectancy fertility consumption intensity aqi pm10 pm2 no2 so2 o3 co ozone adr
    """
)
"""Words of columns whose sum means nothing, so that their average is what one asks for."""

ROW_NOUNS = words("ones row record entry observation line case item datapoint datum thing result")
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
    (2, "pickup dropoff fare tip", "trip ride journey"), (2, "start end duration distance station bike", "trip ride"),
    (2, "survived embarked pclass fare cabin sibsp class", "passenger person people"),
    (2, "carrier airline origin destination dest departure arrival", "flight"),
    (2, "petal sepal", "flower plant"), (3, "species bill flipper beak island wing", "bird animal"),
    (3, "carat cut clarity color depth", "stone diamond gem"),
    (2, "math reading writing exam gpa", "student pupil"),
    (2, "artist track album streams", "song track"), (2, "home away goals score referee", "match game fixture"),
    (2, "salary department hire hired job", "person people employee staff worker colleague everyone everybody"),
    (2, "magnitude depth mag", "earthquake quake event"), (2, "diagnosis admission discharge ward", "patient visit"),
    (2, "smoker bill tip party", "table party bill"), (2, "runner bib finish", "runner participant"),
    (2, "beds bathrooms nights room accommodates", "place listing accommodation rental"),
    (2, "quantity product price order customer", "order sale purchase"),
    (2, "plan mrr churned signup subscription", "customer subscriber account subscription"),
    (2, "priority status assignee agent", "ticket case issue"),
)  # fmt: skip
"""How many of these words the columns of a table of such things have at least, and nouns for its rows."""

PEOPLE = words(
    "person people user folk member guy individual customer client shopper student patient rider one"
)
"""Nouns that may follow a value of people: “casual users”."""

VALUE_SYNONYMS = (words("female f woman women girl girls females"), words("male m man men boy boys males"))
"""Words that tables and people use for the same value."""

GENERIC_NOUNS = words(
    "type kind category group name value count grade level class number code field column figure use usage reading"
    " measurement statistic amount volume emission stuff thing status rating score"
)
"""Nouns that may follow a column's name without a meaning of their own: “weather type”."""
