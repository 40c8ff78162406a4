"""English grammar words that questions over tables are made of, each with what it does.

An entry is a phrase and a tag: the tag's kind tells the reader which part of a question it is.
"""

from dataclasses import dataclass
from typing import Final

from engine.models.offline.words import word_list

__all__ = ["CLOSED", "PHRASES", "SOFT", "Tag", "longest_phrase"]


@dataclass(frozen=True, slots=True)
class Tag:
    """What a phrase does. `value` depends on the kind: an aggregate, an operator, a grain, a mark …"""

    kind: str
    value: str = ""


_SOURCE: Final = """
agg avg: average | mean | avg | avrg | averages | typical | typically
agg median: median | med | middle value
agg sum: total | sum | sum of | combined | altogether | total amount | overall total | grand total
    | total sum | aggregate | cumulative
agg stddev: standard deviation | std dev | stddev | stdev | std | sd | standard dev
agg var: variance
agg iqr: interquartile range | iqr
agg q1: first quartile | lower quartile | 1st quartile
agg q3: third quartile | upper quartile | 3rd quartile
agg distinct: distinct | different | unique | various | separate
agg pctl: percentile | th percentile | quantile
onavg avg: on average | in average | by average | on the average | average wise
count how: how often | headcount | head count | how many times | how many | number of | count of | no of
    | total number of | total count of | how many total | amount of | nr of | num of | counts of
    | tally of | quantity of
count bare: count | counts | tally | frequency
howmuch money: how much
sup max: highest | maximum | max | largest number of | greatest | top most | peak | record
    | biggest number of | highest number of | greatest number of | maximal | most number of
sup min: lowest | minimum | min | smallest number of | lowest number of | minimal
sup most: most | the most
sup least: least | fewest | the least
sup mode: most common | most frequent | commonest | most often | most frequently | most commonly
    | most typical | modal
sup rare: least common | rarest | least frequent | least often
sup vague: happiest | safest | smartest | worthiest | best | worst | better | worse | nicest
    | greatest ever | friendliest | prettiest | ugliest | good | bad | favorite | favourite
sup last: latest | most recent | last | newest | most recently
sup first: earliest | first | oldest date
top desc: top
top asc: bottom
more gt: more | greater | higher | exceed | bigger number of
more lt: less | fewer | lower
op >: more than | greater than | larger than | bigger than | higher than | over | above | exceeding
    | exceeds | exceeded | beyond | in excess of | > | north of | upwards of | upward of | exceed
    | better than
op >=: at least | no less than | not less than | >= | ≥ | minimum of | a minimum of | not under
    | not below | no fewer than | not fewer than | from at least | min of | starting at
op <: less than | fewer than | lower than | smaller than | under | below | beneath | < | worse than
    | not quite
op <=: at most | no more than | not more than | <= | ≤ | up to | maximum of | a maximum of | not over
    | not above | no greater than | max of | no higher than | not exceeding
op =: equal to | equals | equal | exactly | = | precisely
op <>: <> | != | not equal to
tail >=: or more | or above | or higher | or over | and up | and over | and above | or greater | and more
    | or better | and higher | or longer | or older | or larger | plus | upwards | or later | or heavier
    | or bigger
tail <=: or less | or below | or lower | or under | or fewer | and below | and under | or younger
    | or smaller | or cheaper | or shorter | or earlier | or lighter
between: between | in between | ranging from | range between | anywhere between
from: from
to: to | through | thru | until | till | up until
since: since | starting | starting in | starting from | beginning in | as of | from then on | onwards from
after: after | later than | following | newer than
before: before | prior to | earlier than | older date
until: until the end of | up to and including
onward: onwards | onward | on and after | and later | or later | and after
by by: by | grouped by | group by | broken down by | split by | for each | for every | per | in each
    | in every | of each | of every | across | across all | split up by | separated by | segmented by
    | divided by category | within each | at each | on each | from each | by each | for all | with each
    | depending on | according to | as a function of | broken out by | split into | separately for
    | for the different | for the various | of the different | with respect to | among the different
    | aggregated by | categorized by | each | every | by the | over each | to each | respective | per each
    | against each
order by: sorted by | sort by | order by | ordered by | ranked by | rank by | in order of | ranking by
    | rank | sort | ranking of | in terms of | measured by | based on | going by | when it comes to
    | with regard to
paint by: colored by | coloured by | color by | colour by | colored | coloured | split by color
dir desc: descending | desc | high to low | from high to low | largest first | highest first
    | from highest to lowest | from most to least | decreasing | biggest first | highest to lowest
dir asc: ascending | asc | low to high | from low to high | smallest first | lowest first
    | from lowest to highest | increasing | alphabetically | alphabetical | chronologically
    | lowest to highest
neg not: not | without | lack | lacks | lacking | lacked
    | excluding | except | except for | other than | apart from | aside from | besides
    | exclude | excludes | ignoring | ignore | leave out | leaving out | left out | omitting | omit
    | but not | minus | no | non | nor | neither | never | outside | outside of | anything but
    | everything but | all but | leave out all | skip | skipping | drop out | rather than | take out
    | taking out | filter out | filtering out | excluded | disregarding | disregard | not counting
    | not including | not counting the | discounting | is not | are not | was not | were not | isnt
    | arent | with no | have no | has no | having no | had no | do not | does not | did not
    | nothing but not
share pct: share | shares | percentage | percentages | percent | proportion | proportions | fraction | %
    | pct | percentage of | what part of | how large a share | ratio | portion | market share
    | relative frequency | relative share
corr corr: correlation | correlate | correlated | correlates | correlations | relationship | relation
    | association | associated | related | relate | relates | pearson | correlation coefficient | linked
    | go together | depend on each other | go hand in hand | relationships
missing null: missing | null | nulls | empty | blank | blanks | unknown | na | nan | not recorded
    | unrecorded | not known | not given | incomplete | missing values | missing value | missing data
    | empty values | null values | not available | unavailable | undefined | unspecified | not specified
    | no data | without data | not set | not listed | no value | no values | gaps | missing entries
    | empty cells | not filled in | not reported | unreported
filled full: known | recorded | given | available | non-missing | filled in | not missing | present
dist dist: distribution | distributed | spread | histogram | breakdown | break down | break-down
    | distributions | composition | how is distributed | split | frequencies | value counts
describe table: describe | overview | summary | summarize | summarise | profile | schema | structure
    | columns | fields | column names | variables | what is in | whats in | what data | tell me about
    | what kind of data | what does this file contain | what does the file contain | what information
    | attributes | contents | what do you have | summary statistics | summary stats | key statistics
    | about this data | what does it contain | what does it hold
    | basic statistics | stats | statistics | descriptive statistics | features | what is this data about
    | what is the data about
extent span: period | time period | date range | time range | time span | timespan | timeframe
    | time frame | how far back | date span | what dates | which dates | what years | years covered
    | range of dates | dates covered | time window | start and end | begin and end
    | earliest and latest date | first and last date | oldest and newest | earliest and latest
    | start date and end date
range minmax: range
chart bar: bar chart | bar graph | bar plot | barchart | bars | column chart | bar | barplot
chart line: line chart | line graph | line plot | linechart | time series | timeseries | line
chart point: scatter plot | scatterplot | scatter | scatter chart | scatter graph | scatter diagram
    | bubble chart | dot plot
chart arc: pie chart | pie | donut | donut chart | doughnut chart | pie graph
chart area: area chart | area plot
chart histogram: histogram | histograms | histogram chart
chart boxplot: box plot | boxplot | box plots | boxplots | box and whisker | box-and-whisker plot
chart rect: heatmap | heat map
chart any: plot | chart | graph | draw | visualize | visualise | visualization | visualisation | picture
    | diagram | figure | plotted | graphed | show a chart | show a graph | show a plot | charts | graphs
    | plots | sketch | chart it
trend time: over time | trend | trends | over the years | through time | through the years | across time
    | time trend | over the months | development | evolve | evolved | evolution | develop | developed
    | by time | over the period | over the course of time | historically | from year to year
    | year by year | year over year | month by month | over the whole period
change pct: by how many percent | by what percentage | by how much percent | percent change
    | percentage change | % change | percentage increase | percentage growth | growth rate
    | what percent did | how many percent | relative change | percent increase | percent growth
    | percentage decrease
change abs: by how much did | change | changed | increase | increased | grow | grew | growth | rise | rose
    | risen | fall | fell | fallen | decrease | decreased | drop | dropped | decline | declined | shrink
    | shrank | gain | gained | go up | went up | go down | went down
bymuch diff: by how much | how much more | how much less | how many more | how many fewer | difference
    | gap | differ | differs | difference between | how much higher | how much lower | how much bigger
    | how much larger | how much longer | how much heavier | how much cheaper | how much older
    | how much taller | how much faster | how much smaller | how much shorter
sign neg: negative | a negative
sign pos: positive | a positive
likely more: more likely | likelier
likely less: less likely
vs vs: vs | versus | compared to | compared with | in comparison to | against | relative to
    | as opposed to | in comparison with | v
compare cmp: compare | comparison | comparing | comparison of | contrast | compares | compared
than than: than
list rows: list | show all | list all | show me all | give me a list of | list of | which ones
    | details of | full list of | enumerate | display all | print all | list out | name all | find all
    | give me all | show every
head rows: first rows | first few rows | sample rows | some rows | example rows | a few rows | preview
    | sample of the data | head | some examples | show the data | show me the data | show the table
    | show me the table | a sample | sample | show the dataset | show me the dataset | show the spreadsheet
    | show the file | show me the file
soft x: left from | leaving from | flew from | departed from | based in | on board | on average basis
which which: which | what | whose | who
whenq when: when was | when were | when did | when is | when had | on what date | on which date
    | at what time
whereq where: where is | where are | where was | where were | where do | where does | where did
and and: and | as well as | plus also | along with | together with
or or: or
both both: both
ifonly only: only | just | solely | exclusively | restrict to | restricted to | limit to | limited to
    | filter to | filter by | filter for | narrow to | narrowed to
future will: will | forecast | predict | predicted | prediction | expect | expected | tomorrow | next year
    | next month | next week | next quarter | next season | going to | gonna | future | upcoming
    | projected | projection | in the coming | soon
cause why: why | reason | reasons | because | cause | causes | caused | how come | explain why
    | what drives | what makes | what explains | due to | lead to | leads to | effect of | impact of
    | influence of | responsible for | driver | drivers | root cause | affect | affects | affected
advice should: should | recommend | recommendation | advice | advise | ought to | suggest | worth buying
    | good idea | better to | what would you | do you think | your opinion | how can we | how can i
    | how do i | how do we | how could we | how should | need to do | improve | strategy | opinion
mutate write: delete | truncate | erase | wipe | overwrite | rename | insert | alter table | drop table
    | drop the table | drop column | drop the column | remove all | remove the column | remove column
    | remove the rows | remove rows | remove duplicates | deduplicate | add a column | add column
    | add a row | add row | add a new | create a table | create a column | create a new | set all | update
    | edit | modify | fix the | replace | correct the | save | export | send | email | upload | download
    | clean up | clean the | get rid of | purge | merge the | round up all | impute | fill in | write
self who: who are you | what are you | are you an ai | are you a bot | are you human | are you chatgpt
    | what can you do | what can i ask | help | how do you work | what model are you
    | are you a language model | are you gpt | are you real | what is your name | your name
    | which model are you | are you a robot | are you a human | are you an llm
greet hi: hello | hi | hey | good morning | good afternoon | good evening | howdy | greetings
thanks thx: thanks | thank you | thx | cheers | many thanks | thank you very much | great | cool | ok
    | okay | nice | perfect
streak run: longest run | longest streak | in a row | consecutive | streak | longest stretch
    | back to back | running | rolling | moving average | cumulative sum | year-to-date | ytd
    | running total | longest sequence | straight days | straight
flip flip: the other way round | the other way around | other way round | other way around | reverse
    | reversed | reverse it | flipped | the opposite | opposite | vice versa | swap | inverted
    | opposite order | reverse order
same same: same | the same | same thing | same thing but | same again | same question | same for
    | the same for | likewise | again | ditto | repeat | do the same | repeat that
what about: what about | how about | and what about | and how about | what of | and for | now for | now
them them: them | those | these ones | of them | of those | of these | that one | they | it
    | the same ones | their | theirs | its
instead instead: instead | instead of that
also also: also | too | as well | additionally | in addition
rest rest: rest | others | remaining | everyone else | everything else | the others | all others
    | all the others | the rest | elsewhere
rate rate: rate | rates
above avg: above average | above the average | above the mean | higher than average | better than average
    | more than average | above-average | more than the average
belowavg avg: below average | below the average | below the mean | lower than average | less than average
    | below-average
freezing zero: below freezing | freezing | under freezing | below zero | subzero | sub-zero
    | below the freezing point | under zero
time day: day | days | daily | date | dates | calendar day
time week: week | weeks | weekly | calendar week
time month: month | months | monthly
time quarter: quarter | quarters | quarterly
time year: year | years | yearly | annual | annually | per annum
time decade: decade | decades
time hour: hour | hours | hourly | hour of the day | hour of day | time of day
time weekday: weekday | day of the week | day of week | weekdays by name | days of the week
    | which weekday | day-of-week
time monthname: month of the year | calendar month | month of year | calendar months | time of year
    | seasonality | seasonal | months of the year
"""


_WHAT_IT_HOLDS: Final = tuple(
    f"what does {which} {noun} {verb}"
    for which in ("this", "the", "that", "my")
    for noun in ("table", "dataset", "data", "data set", "file")
    for verb in ("contain", "hold", "include", "have", "show", "cover", "look like", "consist of", "tell us")
)


def _phrases() -> dict[str, list[tuple[tuple[str, ...], Tag]]]:
    found: dict[str, list[tuple[tuple[str, ...], Tag]]] = {}
    for line in _SOURCE.strip().replace("\n    |", " |").splitlines():
        head, phrases = line.split(": ", 1)
        kind, _, value = head.partition(" ")
        for phrase in phrases.split(" | "):
            words = tuple(phrase.strip().replace("-", " ").split())
            found.setdefault(words[0], []).append((words, Tag(kind, value)))
    for phrase in _WHAT_IT_HOLDS:
        found["what"].append((tuple(phrase.split()), Tag("describe", "table")))
    for entries in found.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return found


PHRASES: Final = _phrases()

CLOSED: Final = frozenset(
    word_list("""
        a an the of in on at to for by per with from as is are was were be been do does did has have had
        and or not no than that this these those there it its i me my we us our you your he she they
        them what which who how when where all any each every most least more less top between over
        under above below if so but only just than too also now then
    """)
)
"""Words that are grammar before they are anything else."""

SOFT: Final = frozenset(
    word_list("""
 a an the of in on at to for with as is are was were be been being do does did has have had
 having that this these those there i me my we us our you your he she if so but then any all some
 please could can would may might tell show give get find see know want like need let look
 looking into about within among overall ever always currently altogether total say calculate
 compute work out determine check figure display return fetch provide report quick quickly exact
 exactly approximately about around roughly actual actually really simply really just value
 values number numbers figure figures dataset data table file list spreadsheet sheet database csv
 json collection set sample records rows record row entry entries observation observations
 instance instances recorded measured registered observed reported listed named called live lives
 lived living make makes made come comes came coming taken take takes took happen happened
 happens occur occurred go goes went reach reached built released sold bought ordered placed
 produced used using uses belong belongs contain contains contained include includes included
 including exist exists existing appear appears born cover covers covered hold holds present
 existed done one ones thing things when where how here out up down off own per each whole entire
 complete full across along during while kind kinds type types sort lot much many high hi hey
 thanks ok okay so well right yes ah oh um work works worked working played carried operated
 flown booked held organized hosted received entered departed departing landed started travelling
 traveling travelled employed employing written directed created manufactured published rented
 leased owned located situated based found stored brought bring brings via yet everything
 everyone anything board onboard strongly closely tightly still handle handled manage managed
 process processed answer answered receive serve something information everybody anyone somebody
 someone us altogether visited treated seen done arrived arriving departing shown came coming
 join joined operating flying fly flew ran driven driving stay stayed staying attended attend
 interested curious wondering wonder question questions answer quickly pls plz kindly us who
 whose whom their its it they got were there're individual single particular certain specific
 given respectively such has've also too then again back time times cases case point points level
 levels amount amounts size score end beginning start began begin long short run runs ran result
 results terms term respect regard end against until am will're following based basis across side
 look looks looked seem seems average-wise category categories group groups class columns column
 field fields name names day's today ask asking visual nicely next turn turned putting
 together slide presentation report need quickly help
 estimate discovered detected identified spotted sighted surveyed sampled logged documented noted
 gathered counted conducted caught captured launched introduced lie lies lying sit sits stand stands
 away part grown planted harvested stated sees saw place ended ending finished finish collected gave came
 feature featured features win wins won
 """)
)
"""Words that may be passed over where nothing else claims them."""


def longest_phrase(words: list[str], start: int) -> tuple[int, Tag] | None:
    """The longest phrase of the lexicon that begins at `start`: how many words it has, and its tag."""
    for phrase, tag in PHRASES.get(words[start], ()):
        if tuple(words[start : start + len(phrase)]) == phrase:
            return len(phrase), tag
    return None
