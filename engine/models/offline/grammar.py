# ruff: noqa: E501 - a rule is a line
"""The grammar of questions: one rule for each shape of sentence. See `parser` for how patterns are written."""

from engine.models.offline.grammar_phrases import PHRASES
from engine.models.offline.parser import Grammar

__all__ = ["GRAMMAR"]

GRAMMAR = Grammar(
    PHRASES
    + r"""
question: <_lead>? <_open>* ~ <core> <tail>* => question
  <_open>* <lead>+ (,|:|-)? <_open>* ~ <core> <tail>* => question_led
  <_open>* ~ <np> <mod>* (,|:|-) <_open>* ~ <core> <tail>* => question_np
lead: <group> => mod
  ,? <when> => where_one
  ,? (of|for|among|in|from|across|at|on|by|with|within|to|about|during)+ (only|just)? <np> (only|just|alone)? => where_filtered
  ,? <except> <np> => except
  ,? <except> <np>? <_link>* <cond> => except_where
  (where|when|if|for|with|among|in|on) <_link>* <cond> ((and|but) <_link>* <cond>)* => where
_lead: (in|from|for|using)? ~ (table|file|dataset|data|sheet|spreadsheet) (,|:|-)
tail: <mod> => one
  <_close> => skip
  ,? (and)? (if so)? ,? (in|for|of)? how many (are there|is that|are they|of them|rows|times|cases)? => counted
  ,? in {_unit} => skip
  ,? (in|as) (a|an)? (percent|%|percentage|percentages) => percent
  ,? (please|thanks|thank you|thx|cheers) => skip
  ,? (for|across|over|of)? all (years|time|dates|months|days) => skip
followup: <step>+ => followup
  <_again>* <core> <mod>* <_again>* <_close>* => followup_core
  <_again>* how many (rows|are there|are those|are they|is that|of them|of those|of these)+ <_close>* => followup_count
  <_again>* how many (of)? (these|those|them|the|rows|are|were|that|is)* <_link>* <cond> <_close>* => followup_count_where
  <_again>* <np> <_again>* <_close>* => followup_np
  <_again>* <swap> <_again>* <_close>* => followup
step: (the other way round|the other way around|the other way|reversed|in reverse|in reverse order|reverse it|the opposite) => turned
  (stack|stacked|split|break|broken|color|colour|colored|coloured|facet|faceted)+ (it|them|that|this|those)? (down|up|out)? (by|into|per) <label> => split_by
  <mod> => one
  <swap> => one
  <_again> => skip
  <_close> => skip
_again: (group|that|those|these|can|could|get|got|i|we|see|have|down|up|out|may|me|as a|into|and|but|now|then|also|again|instead|ok|okay|please|,|same|thing|only|just|what about|how about|show|make|it|that|do|them|the same|the|for|of those|of them|of these|as well|too|this time|chart|plot)
swap: ~ <agg> (one|value|price)? => swap_aggregate
_open: (hi|hello|hey|please|so|ok|okay|now|and|also|well|thanks) ,?
  (can|could|would|will) you please? (tell|show|give|get|find|compute|calculate|list|help)? (me|us)? (out|with|know|find|see)*
  (i|we) (would|want|need|like|am|are|was|were)* (to|interested|in|curious|about|wondering|looking|for)* (know|see|find|get|have|look)? (out|at)?
  (tell|show|give|get|find|let) (me|us) (see|know)?
  (do|does) you know
  (compute|calculate|find|display|determine|report|return|provide|get|show|give|list|see) (out)?
  (make|create|draw|build|split|break down|add up|sum up|count up|group)
  (what|how much|how high|how large|how big|how long|how) (is|are|was|were|would be|will be|has been|have been)
  (is|are|was|were) there
  what
_close: (please|thanks|thank you|for me|overall|in total|altogether|ever|recorded|on record|on file|over everything|of everything|so far|there|in it)
  (in|of|from|within|across|over) ~ (whole|entire|full)? (data|dataset|table|file|list|set|sheet|period|spreadsheet|database|rows) (set)?
  (are|is|were|was|do|does|did|have|has|been|exist|existed|available|listed|covered|represented|given|included|contained|we|i|you|they|it|would|be|had|happen|happened|occur|occurred|take place|took place|took part|take part|come from|go to|go up|leave from|start from|happen on|stay|bring in|account for|make up|generate|contribute|come out|came out|measured|live|sold|taken|made|in here|in there|reported|registered)
  from the first to the last {_grain}
core: <measures> => numbers
  (on|in|for)? how many {grain} => grains_counted
  <np> <group> => np_by
  (breakdown|distribution|split|count|number) of ~ <np> <group> => np_by
  when (was|were|did|is)* ~ {sup} <np> <mod>* => when_extreme
  when (was|were|did|is)* ~ (first|earliest) <np> <mod>* => when_first
  when (was|were|did|is)* ~ (last|latest|most recent) <np> <mod>* => when_last
  (compare|comparing|comparison of) ~ <measure> <_in>? <side> (with|and|to|vs|versus) <side> => compared
  (do|does|did) ~ {sup} {rows} {col} => extreme_value
  <np> <mod>* (,|-|:)? (how many|count|number|total number) <_close>* => counted_last
  {col} {generic}? (distribution|breakdown) => distribution
  <num> (distribution|histogram|spread) => distribution_of
  who (is|are|was|were) ~ <top> => core
  who {agent} ~ {sup} <np> <mod>* => which_agent
  <np> {col} <group> => np_by_verb
  ~ (top|highest|largest|first) {n} <num> <group> => top_values
  ~ (bottom|lowest|smallest) {n} <num> <group> => bottom_values
  (crosstab|cross tab|matrix|table) of ~ {col} (against|by|and|x|versus|vs) ~ {col} => crosstab
  how many (of)? <counted> => numbers
  (for|in|on|at)? how many <np> (is|are|was|were|has|have|had|do|does|did)+ ~ <cond> => counted_where
  <charted> (of|for|showing|with|:|,)? ~ <core> => drawn
  (plot|draw|chart|graph|visualize|visualise) (me|us|for me)? ~ <core> => plotted
  {grain} <measures> => grained
  <window> => core
  <which> => core
  <top> => core
  <rows> => core
  <share> => core
  <verdict> => core
  <points> => core
  <special> => core
  <changed> => core
along: ~ <measures> => one
  ~ <np> => np_count
window: (cumulative|running) (total|sum)? (of|for|in)? <along> => cumulative
  (running total|cumulative sum|cumulative total) of? <along> => cumulative
  (year to date|ytd|year - to - date) (total|sum)? (of|for|in)? <along> => year_to_date
  <measures> (year to date|ytd) => year_to_date
  {n} {grain} (moving|rolling|trailing) (average|mean) (of|for|in)? <along> => moving
  (moving|rolling) (average|mean) (of|for|in)? <along> over {n} {grain} => moving_over
  {grain} (over|on|to) {grain} (percentage|percent|%|relative|pct) (change|growth|increase|difference) (of|in|for)? <measures> => over_percent
  {grain} (over|on|to) {grain} (change|difference|increase) (of|in|for)? <measures> => over_change
  {grain} (over|on|to) {grain} growth (of|in|for)? <measures> => over_percent
  (percentage|percent|%|relative) (change|growth) (of|in)? <measures> from one {grain} to the next => grain_percent
  (change|difference) (of|in)? <measures> from one {grain} to the next => grain_change
  how (did|does|has)? <measures> change from one {grain} to the next => grain_change
  how (did|does|has)? <measures> (change|changed|develop|evolve|vary|move|go|look) (over time|over the years|over the months|from year to year|from month to month) => trend
  how (did|does|has)? ~ <measures> (change|changed|develop|evolve|vary|move|look|go|differ|compare) <mod>* <group> <mod>* => trend_by
  how (did|does|has|do)? ~ <measures> (split|break|broken)+ (down|up)? <group> => trend_by
  (trend|development|evolution) (of|in|for)? <measures> => trend
which: who <num> ~ {sup} => who
  who (is|was|are) ~ {sup} => who_is
  (which|what) <subject> <mod>* <_aux>* (listed|used|sold|chosen|ordered|booked)? {sup} (often|frequently) => which_often
  (in|on|at)? (which|what) <subject> <mod>* (do|does|did) ~ {sup} <np> => which_most
  (in|on|at|for)? (which|what) <subject> <mod>* did ~ <measures> peak => which_peak
  (which|what|whose) <subject> <mod>* <_aux>* ~ {sup} <measure> => which
  (which|what) <subject> <mod>* <_aux>* ~ <measure> => which_plain
  (which|what) <subject> <mod>* <_aux>* ~ {sup} <np> => which_most
  (which|what) <subject> <mod>* <_aux>* ~ {sup} => which_adjective
  (which|what) <subject> <mod>* <_aux>* ~ {sup} {rows} => which_adjective_rows
  (in|on|at|for|during) (which|what) <subject> <mod>* <_aux>* <measure> <_aux>* ~ {sup} => which_after
  (in|on|at|for|during|from|to) (which|what) <subject> <mod>* <_aux>* ~ {sup} <measure> => which
  (in|on|at|for|during|from|to) (which|what) <subject> <mod>* <_aux>* ~ {sup} <np> => which_most
  (which|what) {n} <subject> <mod>* <_aux>* ~ {sup} <measure> => which_n
  (which|what) {n} <subject> <mod>* <_aux>* ~ {sup} <np> => which_n_most
  what is ~ {sup} <subject> => superlative
_aux: {_rows}
  (file|use|spend|buy|need|produce|earn|pay|hold|own|carry|give|bring|run|report|has|have|had|with|is|are|was|were|did|does|do|got|gets|it|made|there|that|be|been|saw|shows|sees|recorded|get|having|ever|reached|reach|comes with|took|take|sold|sell|received|contains|in|by|for|of)
subject: ~ {col} {generic}? => subject_column
  ~ {grain} => subject_grain
  (day of the week|weekday|day of week) => subject_weekday
  (month of the year|calendar month) => subject_month
  (hour of the day|hour of day) => subject_hour
  <np> => one
top: ~ (top|first|best|highest|largest|biggest) {n} ~ <subject> <mod>* <_bywhat> <measure> => top
  ~ (bottom|last|worst|lowest|smallest) {n} ~ <subject> <mod>* <_bywhat> <measure> => bottom
  ~ {n} <subject> <mod>* (with|by|having) ~ {sup} <measure> => n_with
  <subject> (with|having|by) ~ {sup} <measure> => which_with
  <subject> (with|having) ~ {sup} <np> => which_with_np
  ~ {n} <subject> (with|having) ~ {sup} <np> => n_with_np
  ~ (top|first)? {n} {sup} <subject> => n_superlative
  ~ (top|first)? {n} {sup} => n_superlative_rows
  ~ (top|first)? {n} {sup} <num> => n_highest
  ~ (top|highest|largest|biggest) {n} <num> => n_top
  ~ {sup} {n} <subject> => superlative_n
  ~ {n} {sup} <subject> <mod>* (by|in terms of) <measure> => n_superlative_by
  (top|first|best) {n} ~ <subject> <_bywhat> <measure> (in|for|within|per|of|by) (each|every)? <label> => top_within
  (bottom|last|worst|lowest) {n} ~ <subject> <_bywhat> <measure> (in|for|within|per|of) (each|every) <label> => bottom_within
  ~ {sup} <subject> => superlative
  ~ (best|top) selling <subject> (by|in terms of) <measure> => top_one
  ~ {sup} <subject> <mod>* (by|in terms of) <measure> => superlative_by
  ~ <np> (with|having) ~ {sup} <num> => rows_with
  (rank|ranking of|rank of|order|sort) ~ <subject> (by|in terms of) <measure> => ranked
  ~ {_tops} ~ <subject> <_bywhat> <measure> => top_open
_bywhat: (by|in terms of|with the most|with the highest|with the largest|for|based on|ranked by|according to|with most|with highest|measured by|ordered by|sorted by|having the highest)
rows: (list|show|give|display|print) ~ {col} ((,|and) ~ {col})* <mod>+ => list_where
  (list|show|display|which|what|find|give|see|get|print|who|all)* <np> <mod>+ => list_rows
  (list|show|display|print|give|see) <np> => list_all
  (list|show|display|print|give|see|open) ~ (table|data|dataset|file|sheet) => list_everything
  (show|list|display|give|print|what is|what are|which|find)* ~ {col} ((,|and|, and) ~ {col})* (of|for) <np> <mod>* => list_columns
  (first|top)? {n} (rows|records|lines|entries) => first_rows
  (the)? first {n} {rows} => first_rows
  (list|show|what|which|all|display|give)+ ~ (different|distinct|unique|possible|various)? {col} {generic}? (are there|are in here|are in there|are in it|exist|are listed|are available|occur|appear|are included|does it have|do we have|is there)? => values
  (list|show|what|which|all|display|give)+ ~ (different|distinct|unique|possible|various) {col} {generic}? => values
share: for ~ <_share> of ~ <np> (is|are|was|were|do|does|did) <where> => share_where_short
  ~ <_share> (of)? ~ <np> <mod>* <_sharelink>+ <where> => share_where
  ~ <_share> (of)? ~ <np> => share_rows
  how many percent of <np> <mod>* <_sharelink>+ <where> => share_where
  ~ <_share> (of)? ~ (total|overall)? <num> <mod>* <_sharelink>+ <where> => share_sum
  ~ <_share> (of)? ~ (total|overall)? <num> => share_of_sum
  {col} share of ~ (total)? <num> => share_by_column
  {val} share of ~ (total)? <num> => share_of_value
_share: (pct|share|percentage|percent|proportion|fraction|%|part|what share|what percentage|what percent|what proportion|what fraction|market share|what part|what %)
_sharelink: (is|are|was|were|have|has|had|come|comes|came|from|go|goes|went|to|belong|belongs|do|does|did|in|that|by|with|made|accounted|for|account|accounts|contributed|contribute|contributes|a|an|who|which|on|of|be|been|happened|took|place|take|at)
where: <cond> ((and|but) <_link>* <cond>)* => where
  <cond> (or <_link>* <cond>)+ => where_any
  <np> => where_np
verdict: (is|are|was|were|do|does|did) ~ <np> {cmp} <side> than <side> => verdict_np
  (is|are|was|were|do|does|did|has|have|had) <side> <mod>* <_aux>* ~ <measure>? ~ {cmp} <measure>? ~ {rows}? than <side> (ones|did|do|does|was|were|is|are)* <averaged>? => verdict
  (is|are|was|were|do|does|did) ~ <measure> (of|for|in|on|from|at)? <side> {cmp} than (of|for|in|that|the|on|one)* <side> => verdict_led
  (is|are|was|were) there (more|fewer) <side> than <side> => verdict_count
averaged: ,? on average => 'mean
points: <num> (against|vs|versus|as a function of|over|and) ~ <num> => points
  relationship between <num> and <num> => points
special: correlation ~ <num> / ~ <num> => correlation
  (correlation|relationship|relation|association|connection|link) (between|of|for) <num> (and|with|to|vs|versus) <num> => correlation
  (is there|how strong is|how close is|how big is|what is) ~ (correlation|relationship|relation|association|connection|link) between <num> and <num> => correlation
  (how|does|do|is|are|did)+ (strongly|closely|strong|well)* (is|are|do|does)* <num> (correlate|correlated|related|relate|depend|linked|associated|connected)+ (with|to|on) <num> => correlation
  how (strongly|closely)? correlated (is|are) <num> and <num> => correlation
  (how|does|do|is|are)+ (strongly|closely|well)* (is|are|do|does)* <num> and <num> (correlate|correlated|related|relate|linked|associated|connected)+ => correlation
  (distribution|spread|breakdown) (of|for)? <num> => distribution_of
  histogram (of|for) <num> => histogram_of
  (distribution|breakdown|frequency|frequencies|value counts) (of|for|by) ~ {col} {generic}? => distribution
  how (is|are|was|were)? ~ <num> (distributed|spread|spread out) => distribution_of
  <side> (vs|versus|or|against) <side> ,? ~ <measures> => versus_led
  ~ {col} {generic}? as ~ (percentage|percent|share|proportion) of ~ {rows} => share_of_rows
  how (is|are) {col} distributed => distribution
  (which|what) columns (have|has|contain|with|are)* (any)? (missing|empty|null|blank|incomplete|blanks|gaps|nulls|holes) (values|data|entries)? (in (them|it))? ,? (and how many (are missing|missing values|in each|missing|does each have|are there)* (in each|per column)?)? => missing_table
  (how many|number of|count of|count)? ~ (missing|null|empty|blank) (values|data|entries|cells)? (are there)? (by|per|in each|for each|in every|of each) column => missing_table
  (how many|number of|count of)? ~ (missing|null|empty|blank) (values|entries|data)? (are|is)? (there)? (in|for|of) ~ {col} {generic}? => missing_count
  (is|are) ~ {col} (ever|sometimes)? (missing|null|empty|blank|unknown) => missing_count
  how many {col} (values|entries)? are (missing|null|empty|blank|unknown) => missing_count
  (is|are) there (any)? (missing|null|empty|blank) (values|data|entries) => missing_table
  (missing|null|empty) (values|data) => missing_table
  (is|are|how many|show|list|find|any|count|number of|the|number)* there? (any)? (duplicate|duplicated|repeated|exact duplicate) {rows} => duplicates
  (is|are|how many|show|list|find|any)* there? (any)? duplicates => duplicates
  (are there|do|does|find|show|list|which|any|how many)* ~ (duplicate|duplicated|repeated) {col} (values)? => duplicates_of
  (are there|find|show|list|any)* duplicates (in|of|by|for) {col} => duplicates_of
  (do|does|which)* ~ {col} (values)? (show up|appear|occur|exist) (more than once|twice|multiple times|several times) => duplicates_of
  (is|are|how many|show|list|find|any|which|what)* there? (any)? outliers (in|of|for|by) ~ <num> => outliers
  (describe|summarize|summarise|profile|explain|overview of|summary of|summary|overview|a summary of|columns of) ~ (table|data|dataset|file|rows|sheet|columns)? {rows}? => describe
  (what|which) (columns|fields|variables|data) (are|is|does|do|exist)* (there|in|the|it|table|file|data|dataset|have|has|this|we|contained)* => describe
  what is in (the|this)? (table|data|dataset|file) => describe
  (what|which) (period|years|year|months|time|time span|time range|time period|dates|date range|timespan|range of dates|timeframe) (does|do|is|are)* (the|this|it)? (data|table|file|dataset)? (cover|covered|span|include|in the data)* => extent
  (describe|summarize|summarise|summary of|statistics of|statistics for|summary statistics of|summary statistics for) <num> => summary
changed: ~ <measures> (growth|change|increase|decrease)? (from|in|for)? <side> (compared to|compared with|vs|versus|against|relative to) <side> => change_between
  (by)? how (much|many percent|much percent) did ~ <np> (change|rise|grow|increase|fall|drop|decrease|decline|go up|go down|shrink) => change_of
  by how many (percent|percentage points) did ~ <np> (change|rise|grow|increase|fall|drop|decrease|decline|go up|go down|shrink) => change_of
  (by)? how (much|many|many percent|much percent) did ~ <measures> <mod>* (change|rise|grow|increase|fall|drop|decrease|decline|go up|go down|shrink) => change
  by (how many|what) (percent|percentage points|percentage|%) did ~ <measures> <mod>* (change|rise|grow|increase|fall|drop|decrease|decline|go up|go down|shrink) => change
  how did ~ <measures> <mod>* (change|develop|evolve|move) => change
  ~ (change|growth|increase|decrease|rise|drop|decline|difference) (of|in) <measures> => change
  ~ (percent|percentage|%) (change|growth|increase) (of|in) <measures> => change
"""
)
