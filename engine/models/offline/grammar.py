# ruff: noqa: E501 - a rule is a line
"""The grammar: the phrases of a question, in any order. `assembling` combines the meanings of phrases.

See `parser` for how rules are written.
"""

from engine.models.offline.grammar_conditions import CONDITIONS
from engine.models.offline.grammar_measures import MEASURES
from engine.models.offline.grammar_phrases import PHRASES
from engine.models.offline.parser import Grammar

__all__ = ["GRAMMAR"]

GRAMMAR = Grammar(
    MEASURES
    + PHRASES
    + CONDITIONS
    + r"""
piece: <measures> => parted:measures
  <np> => parted:noun
  <labels> => parted:label
  <head> => one
  <ranked> => one
  <mod> => one
  <special> => parted:form
  {filler} => part:skip
  {again} => parted:again
  (,|;|:|-|\() => part:again=,
  \) => part:skip
  (interested in|curious about|wondering about|wondering if|looking for|looking at|according to (this|the) (data|table|list|file|dataset)) => part:skip
  (in|of|from|within|across|over) ~ (whole|entire|full|complete)? (data|dataset|table|file|list|set|sheet|spreadsheet|database|rows|records) (set)? => part:skip
  (in|over) ~ (whole|entire|full) period => part:skip
  ,? (with|over|across|for|in|of)? all the? {_grain} (taken|put)* (together|combined) => part:skip
  (across|over|for|of) everything => part:skip
  , all (the)? {_grain} => part:skip
  (that|which)? (anyone|anybody|someone|somebody) ({_done}|ever|has|have|had|got|gets|rode|made|took|did|reached|scored|is|was)+ (in (a|one|a single|any) {_rows})? => part:skip
  (for|across|over|of)? all (of)? (the|our)? {col} => over_all
  (across|over) all (of)? (the|our|these|those)? {_grain} => part:skip
  (altogether|in total|combined|taken together) (for|across|over|of|in) (all|every) (of)? (the|our)? {col} => over_all
  (the|a|an|all|any|some|this|our|its|their) => part:skip
  (so far|right now|at the moment|at present) => part:skip
  (make|makes|made|making) up => part:skip
  let (me|us) => part:skip
  (find|figure|check|work) out => part:skip
  (show|give|tell|list) (me|us)? (both|both of them|both numbers|the two numbers|both averages|the two averages|both values|the two values) => part:skip
  (with|from|for|to) us => part:skip
  for (my|our|a|the) {word}? (presentation|report|slide|meeting|class|boss|manager|review|dashboard|shop|company|team|business|project|paper|article|deck) => part:skip
  in (here|there|it|this) => part:skip
  on (file|record|the list|this list|the books) => part:skip
  (work|works|working|employed) (here|for us|with us) => works_here
  of (those|these|them) => part:skip
  how (strongly|closely|well|strong|close) => part:strongly
  (split|break down|break|break it down|broken down|breakdown of|divide|show up|take a look at) => part:skip
  (in|on|at|from|to|for|by|of) => dangling
  with => dangling_with
  (would|will) you => part:skip
  would be => part:skip
  here => part:skip
  ,? (and|and,)? if so => part:again=,
  (do|does|did) (our|the|these|those|all)? ({_rows}|{_people}) (come|live|work|travel|go|belong) (from|in|to|at)? => part:skip
  (offered|known|recorded) as => part:skip
  (my|our|the) {word} (want|wants|need|needs|would like|asks|asked)+ (to)? (know|see|have|get|for)? => part:skip
  (can|could|would) you (give|show|tell|get) (me|us) (that|this|it) => part:skip
  would (like|love|want|need) => part:skip
  (would|will)? (want|need|like|love|wish) to (see|know|have|get|look at) => part:skip
  (that is|i e|i mean) => part:skip
head: (in|on|at|for|during)? (which|what) {grain} (of|in) {period} => which_grain_in
  (in|on|at|for|from|to|by|of|during|with|under)? (which|what|whose) {n}? <subject> => which
  ~ {n} <subject> => which
  <_happen>? for ~ (very)? first time => first_time
  <_happen>? for ~ (very)? last time => last_time
  (who|whom) => who
  how => part:how
  who (has|have|had|did)? {agent} => who_agent
  when => part:when
  where => part:where_at
  how many (times|cases)? => part:how_many
  how many rows => part:how_many=rows
  how many of? (each|both) => part:how_many
  how often => part:how_many
  for how many (of them)? => part:how_many
  (total)? number => part:how_many
  count (them|those|these)? => part:how_many
  ~ (names|name|list|details) of => part:listing
  (list!|show!|display!|print!|give!|find!|name!|get!|see!) => part:listing
  which => part:listing=which
  (rank|ranking of|order|sort) => part:ranking
  (for|in|with)? <_share> (of|for|in)? ~ (total|overall|all)? ~ <np> => parted:share
  <_share> (of|for|in)? ~ (total|overall|all)? <num> => share_sum
  <_share> (of|for|in)? ~ (total|overall|all)? {takings} => share_takings
  how much of ~ (total|overall|all)? <num> => share_sum
  <np> as ~ <_share> of ~ (total|overall|all)? {_rows} => parted:share
  {val} share of ~ (total|overall)? <num> => share_value
  {col} share of ~ (total|overall)? <num> => share_column
  <_share> (of|for|in)? (all|everything|them|those|total|the total|overall)? => share_bare
  (by)? (how much|how many percentage points|how many) (more|less)? (did|do|does|has|have|is|was) => part:how_much
  (by)? (how many percent|how much percent|what percent|what percentage|what %) (more|less)? (did|do|does|has|have|is|was) => part:how_much=percent
  (by)? (how much|how many) (more|less|fewer) => part:how_much
  (by)? how much {cmp} => how_much_cmp
  (by)? how many (points|percentage points|dollars|euros|pounds|cents|units|degrees|{unit}|<spanunit>) {cmp} => how_much_cmp
  by how many (points|percentage points|units|degrees|dollars|euros|pounds|grams|kg|kilometers|km|miles|minutes|hours|days|years|places) (did|do|does|has|have) => part:how_much
  (change|growth|increase|decrease|rise|drop|decline|difference|grow|fall|shrink|go up|go down|went up|went down|changed|grew|fell|rose|shrank|vary|move|differ|gone up|gone down|go up or down|break down|broken down|split) => part:changed
  (percent|percentage|pct|%|relative) (change|growth|increase|decrease|rise|drop|decline) (in|of)? => part:changed=percent
  (change|growth|increase|decrease|rise|drop|decline) (in|of) => part:changed
  (trend|development|evolution) (of|in|for)? => part:trend
  (develop|developed|evolve|evolved) => part:trend
  <grainly> => grained
  {cmp} to? <measure> => cmp_measure
  {cmp} <np> => cmp_noun
  <_happen>? {cmp} => cmp
  {_done} {cmp} => cmp_done
  (sell|sells|sold|go|goes|went)+ for {cmp} => cmp_priced
  (sell|sold|sells) {cmp} => cmp_sold
  than ~ {_rows}? without (one|it|any|them)? => than_rest
  than (those|ones|the ones|rows)+ (that|who|which)* (are|is|were|was|did|do|does|have|has|had)* not => than_rest
  than (everyone else|everybody else|others|the others|the rest|anyone else|all others) => than_rest
  than (in|for|on|at|of|from|the|those|ones|during|that)* <side> (ones|did|do|does|was|were|is|are|has|have|had)* => parted:than
  <side> (or|versus|vs) more? <side> => either
  ~ (first|earliest) <np> => first_of
  ~ (last|latest|most recent) <np> => last_of
_happen: (fly|flew|launch|happen|occur|appear|take place|start|run|play)
_holding: (do|does|did)? ~ (file|data|table|dataset|sheet|list|spreadsheet|it|we|i|you|there) (contain|contains|have|has|include|includes|hold|holds)
_has: (is|are|was|were|got|gets|has been|have been)+ (assigned|allotted|allocated|given|sent|served|offered|awarded|granted|handed) to?
  (with|having|by|has|have|had|sell|sells|sold|make|makes|made|earn|earns|earned|get|gets|got|generate|generates|generated|produce|produces|produced|emit|emits|emitted|consume|consumes|consumed|employ|employs|employed|bring in|brings in|brought in|record|records|recorded|report|reports|reported|receive|receives|received|see|sees|saw|handle|handles|handled|give|gives|gave|donate|donates|donated|raise|raises|raised|collect|collects|collected|spend|spends|spent|pay|pays|paid|ship|ships|shipped|use|uses|used|take|takes|took)
_share: (pct|percent|percentage|share|proportion|fraction|%|part|portion|how many percent|what share|what percentage|what percent|what proportion|what fraction|what part|what portion|what %|market share)
ranked: ~ {n}? {sup} {n}? <subject> => sup_subject
  who (are|is|were|was) ~ {n}? {sup} {n}? <subject> => sup_subject
  ~ top {n} {sup} <subject> => sup_top
  ~ {n}? {sup} {n}? {_done} <subject> => sup_subject_done
  ~ {n}? {sup} {n}? (used|visited|ordered|chosen|bought|watched|played|mentioned|borrowed|booked|requested) <subject> => sup_used
  <_has>? ~ {n}? {sup} {n}? <measure> => sup_measure
  <_has>? ~ {sup} <pre>+ <measure> => sup_measure_of
  <_has>? ~ {sup} <np> => sup_noun
  <_has>? ~ {sup} {happenings} => sup_events
  <_has>? ~ {sup} (number of|amount of|count of) <np> => sup_number
  <_makesup> ~ {sup} <_share> of ~ <np> => sup_part_rows
  <_has>? ~ {sup} <_percent> of ~ <np> => sup_percent_rows
  <_has>? ~ {sup} <_portion> of ~ <np> => sup_share_rows
  (<_has>|<_makesup>)? ~ {sup} <_share> of ~ (total|overall|all)? <measure> => sup_share_of
  <_has>? ~ {sup} (number of|count of) ~ {col} => sup_number_of
  <_missing> ~ {sup} ({col}|values) {generic}? => missing_most
  ~ {col} {generic}? missing {sup} (often)? => missing_often
  ~ {n}? {sup} (ones|one)? => sup
  <_lasting> ~ {sup} (time)? => sup_span
  <_lasting> ~ {sup} (time)? to (be)? {col} => sup_span_to
  (is|was|are|were|has been|have been|gets|got|get)* (used|chosen|picked|selected|seen|visited|mentioned|listed|recorded|reported|cited|involved|ordered)? {sup} (often|frequently|times) => sup_often
  (is|was|are|were|has been|have been|gets|got|get)+ (used|chosen|picked|selected|visited|ordered|booked|borrowed|played|flown|requested) ~ {sup} => sup_most
  {_done} ~ {sup} => sup_done
  {event} ~ (most recently|last|latest|most recent) => event_last
  {event} ~ (first|earliest) => event_first
  (won|wins|win) (it|~ race|~ marathon|~ {_rows})? => won
  ~ {n}? (best|top) selling {n}? <subject> => selling
  ~ {n}? (worst|least) selling {n}? <subject> => selling_least
  (who (are|is|were|was))? ~ (top|first|best) {n} <subject>? => top
  ~ (bottom|last|worst) {n} <subject>? => bottom
  ~ {_tops} <subject> => top_ten
  (by|in terms of|based on|ranked by|according to|measured by|ordered by|sorted by|going by) ~ <measure> => by_measure
  by how (much|many) (they|each|he|she|it|we|you)? (have|has|had)? <measure> => by_measure
  <_busiest> for ~ <measure> => busiest_for
_moves: (tend|tends|to|go|goes|up|down|rise|rises|increase|increases|grow|grows|fall|falls|decrease|decreases|drop|drops|higher|lower)
_makesup: (make up|makes up|made up|account for|accounts for|accounted for|take|takes|took|represent|represents|constitute|constitutes)
_percent: (pct|percent|percentage|%|proportion|fraction)
_portion: (share|part|portion|market share)
_busiest: (busiest|most popular|most active)
subject: <labels> => one
  <np> => subject_rows
labels: ~ <pre>* <targets> => labels
targets: {col} {generic}? => target
  {route} (\( from? ({col}|{word}) to ({col}|{word}) \))? => target_route
  ~ {thing} (ids|id|names|name)? => target
  {_rows} {col} {generic}? => target_of_rows
  {col} (-|to|and|/|,)* {col} (pair|combination|route|combo) => target_pair
  {grain} => target_grain
  (day of the week|weekday|day of week) => target_weekday
  (month of the year|calendar month) => target_month
  (hour of the day|hour of day|time of day) => target_hour
_here: (here|seen|used|active|come in|come|visit|attend|appear|{_done})
corr: <num> => one
  {col} => year_number
special: (compare|comparing) <side> (and|with|to|vs|versus) <side> (on|in|by|regarding|in terms of|with respect to) ~ <measure> => compare_on
  (is|are|was|were) there more ~ <num> (or|than) ~ <num> => more_of
  when (was|were|is|are|did)* ~ (first|earliest) (and|or) ~ (last|latest|most recent) <np> => both_ends
  ~ (date|dates) of ~ (first|earliest) (and|or) ~ (last|latest|most recent) <np> => both_ends
  when (was|were|is|are|did)* ~ (first|earliest) (and|or) when? (was|were|is|are)* ~ (last|latest|most recent) <np> => both_ends
  when (was|were|is|are|did)* ~ (first|earliest) <np> (and|or) when? (was|were|is|are)* ~ (last|latest|most recent) (one|ones)? => both_ends
  how (strongly|closely|well)? (is|are|does|do) ~ <num> (related|correlated|linked|tied|connected) (to|with) ~ <num> => correlation
  ~ (difference|gap) in ~ <measure> between <side> (and|or) <side> => difference_of
  when (was|were|did|has|have|is)+ (each|every) <label> (last|most recently|latest) ({col}|{_done}|used|active)? => last_of_each
  when (was|were|did|has|have|is)+ (each|every) <label> (first|initially) ({col}|{_done}|used|active)? => first_of_each
  when (was|were|did|has|have|is)+ <values> (last|most recently) ({col}|<_here>)? => last_of_one
  when (was|were|did|has|have|is)+ <values> first ({col}|<_here>)? => first_of_one
  ~ <num> on ~ x (axis)? (and|,)* ~ <num> on ~ y (axis)? => points_xy
  ~ <num> on ~ y (axis)? (and|,)* ~ <num> on ~ x (axis)? => points
  correlation ~ <num> / ~ <num> => correlation
  (correlation|relationship|relation|connection|link) (between|of) ~ <num> (and|with) ~ {val} <num> => correlation_where
  (correlation|relationship|relation|connection|link) (between|of) ~ {val} <num> (and|with) ~ <num> => correlation_where
  (correlation|correlation coefficient|relationship|relation|association|connection|link|correlated|correlate) (between|of|for)? ~ <corr> (and|with|to|vs|versus) ~ <corr> => correlation
  (does|do|did|is|are) ~ {cmp}? <num> (go|goes|come|comes|tend|tends|to)+ (along|together|hand in hand)* with ~ {cmp}? <num> => goes_with
  (does|do|did|is|are) ~ {cmp} <num> (have|has|get|gets|come with|bring|mean|lead to|result in)+ ~ {cmp} <num> => goes_with
  (does|do|did|is|are) ~ <num> <_moves>+ (when|if|as|with|where)+ ~ <num> <_moves>+ => goes_with
  (does|do|did|is|are) ~ <num> <_moves>+ (when|if|as|with|where)+ (it|gets|is|the)* {cmp} (outside)? => goes_with_cmp
  (does|do|did|is|are) ~ {cmp} <num> <num> {cmp} (to {word})? => goes_with
  <num> <_aux>* (correlate|correlated|related|relate|depend|linked|associated|connected)+ (with|to|on) ~ <num> => correlation
  <num> and <num> <_aux>* (correlate|correlated|related|relate|linked|associated|connected)+ => correlation
  how (strongly|closely|well)? correlated (is|are) <num> (and|with) <num> => correlation
  how (strongly|closely|well)? (is|are|do|does) <num> (and|with) <num> (correlated|correlate|related|linked|associated|connected|relate) => correlation
  (distribution|spread|breakdown) (of|for)? ~ <num> => distribution_of
  histogram (of|for) ~ <num> => histogram_of
  (histogram|bar chart) (of|for) <banded> => histogram_banded
  (distribution|spread|breakdown) (of|for) <banded> => distribution_banded
  (group|bucket|bin|divide|split|sort) <banded> => distribution_banded
  (distribution|breakdown|frequency|frequencies|value counts|split|counts) (of|for|by|across|over) ~ (different)? {col} {generic}? => distribution
  how (is|are|was|were)? ~ <num> (distributed|spread|spread out) => distribution_of
  <num> (distribution|histogram|spread) => distribution_of
  {col} {generic}? (distribution|breakdown|frequency|frequencies) => distribution
  how (is|are) ~ {col} {generic}? distributed => distribution
  how (is|are|was|were|do|did|does) <np> (spread|distributed|split|divided|spread out|broken down|break down|distribute) (over|across|among|between|by|over the|across the|into|in|to)* <label> => rows_spread
  ~ <num> (against|vs|versus|as a function of) ~ <num> => points
  (scatterplot|scatter plot|scatter chart|scatter diagram|scatter graph|scatter) (of|for|showing|:)? ~ <num> (and|against|vs|versus|with|by|over|to) ~ <num> => points
  (how many|number|count|number of|count of) (of)? each <label> => count_each
  how often (does|do|did|has|have)? each <label> (came up|come up|comes up|appear|appears|appeared|occur|occurs|occurred|was used|is used|happened|happens)? => count_each
  (how many|number of|count of)? ~ {_new}? {_rows}? (was|were|are|is|have been|has been|that|which)* ({col}|{event}) <_by> {grain} => count_at
  (how many|number of|count of)? ~ {_new} {rows} {_done}? <_by> {grain} => count_new
  (how many|number of|count of)? ~ {_rows}? (did|do|does|have|has) (we|they|you|it|i|the company|the firm)+ {event} <_by> {grain} => count_at
  (how many|number of|count of)? ~ {_rows}? (did|do|does|have|has) (we|they|you|it|i|the company|the firm)+ {event} (in|during|for)? {period} => count_during
  (breakdown of|distribution of|split of|count of|counts of|number of|numbers of)? ~ {col} (why|for which|that) ~ {_people}? {event} => reasons_of
  ~ {col} (against|by|and|x|versus|vs) ~ {col} (crosstab|cross tab|matrix|table|counts) => crosstab
  {col} {generic}? counts => distribution
  (crosstab|cross tab|cross table|matrix|table|cross) (of)? ~ {col} (against|by|and|x|versus|vs) ~ {col} (,? (counts|count))? => crosstab
  ~ {col} {generic}? as ~ <_share> of ~ {rows} => share_of_rows
  how many (of)? ~ <_counted>? <_lack> ~ (number of)? {col} ((,|and|, and) how many (of)? <_counted>? <_lack> ~ (number of)? {col})+ => missing_in_each
  (which|what) columns (have|has|contain|with|are|is)* (any)? (missing|empty|null|blank|incomplete|blanks|gaps|nulls|holes) (values|data|entries)? (in (them|it))? ,? (and how many (are missing|missing values|in each|missing|does each have|are there)* (in each|per column)?)? => missing_table
  (how many|number of|count of|count)? ~ (missing|null|empty|blank) (values|data|entries|cells)? (are there)? (by|per|in each|for each|in every|of each) column => missing_table
  (is|are) there (any)? (missing|null|empty|blank) (values|data|entries) => missing_table
  (which|what) columns (have|has|contain|are)* (any)? (missing|empty|null|blank|gaps|blanks|nulls) (values|data|entries)? ,? and how many (values|entries|cells|rows)? (are|is)? missing (in|for|from)? each? (of them|column|one)? => missing_table
  (which|what) columns (have|has|contain|are)* (any)? (missing|empty|null|blank|gaps|blanks|nulls) (values|data|entries|cells)? ,? and how many (missing|empty|blank) (values|entries|cells) (are there)? (in|for|from)? each? (of them|column|one)? => missing_table
  (missing|null|empty) (values|data) => missing_table
  (any)? (duplicate|duplicated|repeated|exact duplicate) {rows} => duplicates
  (any)? duplicates => duplicates
  <_holding> (any)? (duplicate|duplicated|repeated|exact duplicate) {rows} => duplicates
  <_holding> (any)? (exact)? duplicates => duplicates
  (are|is)? (there)? (any)? (of)? ~ {rows} (that|which|are|is|appear|appears|occur|occurs|listed|entered|recorded)* (in (there|here|it|this|them|~ (data|file|table|list|sheet)))? (more than once|twice|multiple times|several times|duplicated|duplicates|doubled) => rows_repeated
  ~ (duplicate|duplicated|repeated) {col} (values)? => duplicates_of
  duplicates (in|of|by|for) ~ {col} => duplicates_of
  ~ {col} (values)? (that|which)? (are|is|was|were) (duplicated|duplicate|duplicates) => duplicates_of
  (are|is)? (there)? (any)? ~ {col} (values)? (that|which)? (are|is|was|were)? (show up|shows up|appear|appears|occur|occurs|exist|exists|listed|used|repeated) (more than once|twice|multiple times|several times) => duplicates_of
  (any)? outliers (in|of|for|by) ~ <num> => outliers
  (describe|summarize|summarise|profile|explain|overview of|summary of|summary|overview|a summary of|columns of) ~ (table|data|dataset|file|rows|sheet|columns)? {rows}? => describe
  (what|which) (columns|fields|variables|data) (are|is|does|do|exist)* (there|in|the|it|table|file|data|dataset|have|has|this|we|contained)* => describe
  what is in (the|this)? (table|data|dataset|file) => describe
  (what|which) (period|years|year|months|time|time span|time range|time period|dates|date range|timespan|range of dates|timeframe) (does|do|is|are)* (the|this|it)? (data|table|file|dataset)? (cover|covered|span|include|in the data)* => extent
  when (does|do|did) ~ (data|table|file|dataset)? (start|begin) and (end|stop) => extent
  (describe|summarize|summarise|summary of|statistics of|statistics for|summary statistics of|summary statistics for) ~ <num> => summary
  (show|list|open|print|display|see) ~ (table|data|dataset|file|sheet|everything) => everything
  (show|list|display|give|print) ~ {rows} => everything
  (different|distinct|unique|possible|various) ~ (values of)? {col} {generic}? => values
  (first|top)? {n} (rows|records|lines|entries) => first_rows
  first {n} {rows} => first_rows
_counted: ({_rows}|them|those)
  {event}
_lack: (are missing|is missing|miss|lack|lacks|are lacking|have no|has no|do not have|not have|are without)
_aux: (is|are|was|were|be|been|do|does|did|strongly|closely|well|how)
"""
)
