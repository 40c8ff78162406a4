# ruff: noqa: E501 - a rule is a line
"""The rules of the grammar for phrases: measures, nouns, conditions, groups, order and charts."""

__all__ = ["PHRASES"]

PHRASES = r"""
np: ~ <pre>* {rows} => np
  ~ <pre>* {rows} <cmp> <amount> => np_aged
  ~ {people} <cmp> <amount> => aged
  ~ <values> <cmp> <amount> => aged_values
  ~ <pre>* {_rows} {rows} => np_compound
  ~ {_grainly} {rows} => np_record
  ~ <pre>* <valued> (ones|one|only|alone|group)? => np_values
  ~ {col} (ones|one)? => np_flag
  ~ <pre>+ {col} => np_values_of
  ~ <pre>+ {thing} => np_things
valued: <values> => one
  (non|not) <values> => negated
  {notcol} => flag_not
pre: <values> => one
  {period} => in_period
  {grainly} {period} => nothing
  {notcol} => flag_not
  {col} => flag
  (not|non|un) {col} => flag_not
  (non|not) <values> => negated
values: {val} ({generic}|{people})? => value
  {val} (ones)? ((,|and|or|&|, and|, or|and also) ~ {val})+ => value_list
  {col} (in|by|with|via|is)? {val} => value_named
  {val} {col} => value_of
  {col} {val} ((,|and|or|, and|, or) ~ {val})+ => value_list_named
  {val} ((,|and|or) {val})+ {col} => value_list_of
  either {val} or {val} => value_list2
mod: ,? <group> => one
  ,? <_to_be>+ <conds> => parted:predicate
  ,? <_to_be>+ (from|in|on|of|at|by|with|a|an|the|to|for)* <np> => predicate_np
  ,? (that|which|who|whose|where|when|if|with|having|w)+ <_link>* <conds> => parted:relative
  ,? <_link>* <conds> => parted:where
  ,? (of|for|in|among|from|across) ~ {_rows} => idle
  (to|for|from|with|among) ~ {col} => idle_persons
  ,? (in|from|across|at|on|by|with|within|to|about|during|into|using|for|of|among|via|near|under|inside|outside of|due to|because of|caused by|resulting from|owing to|attributed to)? (only|just)? <np> (only|just|alone)? => where_filtered
  ,? (of|for)? (everything|all|anything|all those|all rows|everyone|anybody|anyone)? <except> <np> => except
  ,? <except> <np>? (that|which|who|whose)* <_link>* <cond> => except_where
  ,? (for|of|in|among|from|by|between) ~ {val} and (for|of|in|from|by)? ~ {val} ({_people}|{_generic}|ones)? => each_of
  <versus> => one
  (of|for|in)? <side> (vs|versus|compared to|compared with|against|and)+ (the rest|the others|others|the other ones|all others|everyone else|everybody else|everything else) => side_and_rest
  <way> => way
  <_in>? {period} ((,|and|, and) <_in>? {period})+ => each_period
  <_by> {grain} (of|in) {period} => grain_of_period
  (from|between)? {n} (to|and|-|until|through) {period} => days_range
  (including|with|show|all of them)* (if|in case|when)? (there are|they)? (ties|tie) => part:nothing
  ,? (include|including|show|list|give|return|name)+ (me)? (all|everyone|every|both) ~ ({col}|{rows}|of them)? (if|in case|when|that|who)* (there is|there are|is|are)? (a|any)? (tie|ties|tied) (for first|for first place|for the top|at the top)? => part:nothing
  ,? (and|but)? (if|in case|when) (there is|there are|it is|several|some|more than one|they)+ (a|any|are)? (tie|ties|tied) ,? (include|show|list|give|return|name) (me)? (all|both|them|all of them|both of them|them all) => part:nothing
  and (his|her|its|their|the) <num> => also
  (how many|how much|what) <num> => also
  (with|and|showing|give|tell|show|list|their|its|along with|together with)+ (me)? ~ {col} ((,|and|, and) ~ {col})* => also_columns
  : ~ {col} ((,|and|, and) ~ {col})* => also_columns
  , ~ <num> => also_number
  <_link>* (both|also|,)* <cmp>? <amount> <np> => having_count
  <_link>* <_occur>* <cmp>? <amount> times => having_times
  <_link>* <_occur>* {n} times <orsign> => having_times_behind
  ,? <_link>* (without being|not being|not|never)+ <_classed> (as|a|an|the)* {col} => where_flag_not
  ,? <_link>* <_classed> as (a|an|the)* {col} => where_flag
  <_link>* <measure> <_is>* <cmp> <amount> => having
  ,? (but|only|just|for|among|considering|counting|including)+ ~ {col} (that|which|who|with|having|have|had|has)+ <cmp> <amount> <np> => having_count_of
  ,? (but|only|just|for|among|considering|counting|including)+ ~ {col} (that|which|who|with|having|have|had|has)+ <measure> <_is>* <cmp> <amount> => having_of
  {_done} => part:skip
  (bring|come|sign|take|turn|show|came|took|brought) (in|up|out|place|part|on) => part:skip
  (go|went) (in|out|on) => part:skip
  (in|,)+ {unit} => parted:in_unit
  (show up|shows up|appear|appears|occur|occurs|listed|used|repeated)+ (more than once|twice|multiple times|several times) => part:repeated
  ~ <agg> (one|value|price)? => parted:aggregate
  (compare|comparing|comparison of) => compare
  <_in>? ~ <side> (with|to|and|or) (that|those)? <side> => pair
  (add up|sum up|adding up|adds up|added up)+ to? => part:added_up
  (both|all|,|given|measured|expressed)* in {unit} => parted:in_unit
  (both|all|,|given|measured|expressed)* in <spanunit> => parted:in_unit
  ,? (ignoring|ignore|excluding|exclude|without|except|skip|skipping|leaving out|leave out|not counting|omitting) ~ (blanks|nulls|missing|empty|missing values|missing ones|empty ones|empty values|blank ones|blank values|unknowns|unknown ones) => part:no_blanks
  (both)? (included|inclusive) => part:skip
  <_onaverage> => part:said_mean
  (summed|summed up|in total|altogether) => part:said_sum
  (combined|together|put together|taken together|added together) => part:combined
  (as|in|with|using|on|into|use|make|draw|a|as a)* ~ <chart> (of|for|showing|with|for me)? => one
  (plot|draw|graph|visualize|visualise) => part:chart=any
  (horizontal|horizontally|with horizontal bars) => part:horizontal
  <sort> => one
  (limit|limited to|show)? (only|just|the)* (top|first) {n} (only|rows|results)? => limit_top
  (only|just)? ~ (bottom|last|lowest) {n} (only)? => limit_bottom
  (top|first) {n} by ~ {col} => limit_top_by
  (bottom|last) {n} by ~ {col} => limit_bottom_by
  (as|in) (a|an)? (percent|%|percentage|percentages) => part:percent
  ,? and? (what|which) <_share> (is that|is this|are they|are these|are those|does that make) (of)? ~ (total|whole|all|{_rows})? => part:that_share
  ,? and? (that|this) as ~ <_share> of ~ (total|whole|all|{_rows}) => part:that_share
  (as|in) (a|an)? (percentage|percentages|percent|share|shares|proportion|proportions|%) of ~ (total|all) => part:as_share
  as (a|an)? (share|shares|proportion|proportions) => part:as_share
  (colored|coloured|color|colour|split|facet|faceted|separate lines|one line|lines|with one line|a line) (by|per|for each) <label> => group_of
  (the other way round|the other way around|reversed|in reverse|in reverse order|reverse it|the opposite) => part:turned
  (stack|stacked|split|break|broken|color|colour|colored|coloured|facet|faceted)+ (it|them|that|this|those)? (down|up|out)? (by|into|per) <label> => split_by
  (cumulative|running) (total|sum|count)? (of|for|in)? => cumulate
  (running total|cumulative sum|cumulative total|cumulatively) (of|for|in)? => cumulate
  (year to date|ytd|year - to - date) (total|sum)? (of|for|in)? => to_date
  {n} {grain} (moving|rolling|trailing) (average|mean) (of|for|in)? => moving
  {grain} (over|on|to|by|after) {grain} (percentage|percent|%|relative|pct) (change|growth|increase) (of|in|for)? => steps_percent
  {grain} (over|on|to) {grain} growth (of|in|for)? => steps_percent
  {grain} (over|on|to) {grain} (change|difference|increase)? (of|in|for)? => steps
  {grain} (by|after) {grain} (change|difference|increase) (of|in|for)? => steps
  (from one|compared with the|compared to the|versus the|vs the|than the|over the|on the|from the) {grain} (to the next|before) => step
  (from one|from each|from) <label> to (the next|next|the following) (one|{_grain})? => step_label
  (compared with|compared to|versus|vs|than|over|on|from|relative to|against|since) ~ (previous|prior|preceding) {grain} => step
conds: (is|are|were|was|have|has)* both? ~ {col} and ~ {col} <_was>? (missing|unknown|empty|blank|null) => both_missing
  (no|without|missing|lack|lacking|lacks|have no|has no|not have|miss)+ both? ~ {col} (and|and no|and the) ~ {col} => both_missing
  <cond> ((and|but|as well as|and also|, and|,) <_link>* <cond>)* => conds
  <cond> (or <_link>* <cond>)+ => conds_any
group: <_by> <label> ((and|by|per|and by|for each|and for each|and per|within|within each|and each|in each|on each|, by|, and|, per) <label>)* => group
  over time => over_time
  over ~ {grain} => over_grain
  {grain} (by|on|after) {grain} => by_same_grain
  from {grain} to {grain} => by_same_grain
  {col} (by|after) {col} => by_same_column
_occur: (used|appear|appears|appeared|occur|occurs|occurred|listed|seen|visited|recorded|mentioned|show up|shows up|showed up|chosen|picked|ordered|been)
_classed: (being|classed|classified|labelled|labeled|marked|flagged|listed|tagged|counted|treated|rated|considered|described|recorded)+
_by: (by each|for each combination of|for every combination of|per combination of|by combination of|for all combinations of|in each combination of|into each|into every|falls into each|fall into each|fell into each|belong to each|belongs to each|each combination of|every combination of|by|per|of every|for all|in all|for all the|in all the|for each|for every|in each|within each|of each|on each|at each|from each|with each|to each|each|every|across each|across every|across the|across different|grouped by|group by|grouped per|split by|split per|broken down by|break down by|break it down by|and break it down by|separated by|according to|depending on|for different|for the different|by each|over|in every|by every|separately for each|separately for)
_in: (in|for|of|from|on|at)
label: ~ {col} {generic}? => label
  whether (there|it|they)* (is|are|was|were|has|have)* ~ {col} => label
  ~ (number|count) of ~ {col} => label_number
  ~ {rows} => label_rows
  ~ different? {col} => label
  ~ {grain} => grain
  ~ calendar {grain} => grain
  ~ (type|types|kind|kinds|sort|sorts|category|categories) of ~ {col} => label
  ~ {_rows} {col} {generic}? => label
  ~ {grain} (of|in|from) ~ {col} => grain_of
  ~ part of week (of|in) ~ {col} => week_part
  ~ {col} {grain} => grain_of_column
  (day of the week|weekday|day of week|days of the week) => weekday
  (month of the year|calendar month|month of year|months of the year) => month_of_year
  (hour of the day|hour of day|time of day) => hour_of_day
_to_be: (is|are|was|were|be|been|has|have|had|do|does|did|get|gets|got|being|come|comes|came|go|goes|went|belong|belongs|live|lives|work|works|use|uses|used|made|took|takes|ended|end|happened|happen)
_link: {_made}
  (even though|although|though|yet|but|earned|made|grossed|scored|received|raised|generated|gained|recorded|reported|posted|logged|racked up|showed|show|shows|reached|hit|see|saw|contained|carried|involving|ended|ended in|ended up|resulted in|led to|got|get|gets|w|took|used|bought|rated|that are|who are|went|go|goes|flew|fly|still|live|lives|lived|come|comes|came|came out|belong|where|with|when|having|have|has|had|is|are|was|were|be|been|it|they|there|do|does|did|only|if|for|of|in|at|on|a|an|from|where the|just|they|being)
cond: ~ <num> <_is>* <cmpnum> <amount> => compare
  <cmp> <amount> (in|of|to|{_people})? <num> => compare_after
  before <amount> (in|of)? <num> => compare_before
  after <amount> (in|of)? <num> => compare_past
  at? {n} <orsign> => compare_unit_behind
  <cmp> <amount> => compare_unit
  ~ <num> of <cmp>? <amount> => compare_of
  <amount> <num> => equals_after
  <_lasting> <cmpnum> <amount> => span_compare
  <_lasting> between <amount> and <amount> => span_range
  between <amount> and <amount> {adj} => between_adjective
  <amount> (to|-) <amount> {adj} => between_adjective
  <cmp> <amount> {adj} => cmp_adjective
  ~ {part} <_is>* {cmp} than <amount> => compare_part
  ~ {part} <_is>* <cmp> <amount> => compare_unit_part
  ~ <num> <_is>* <amount> => equals
  {ordinal} {col} => ordinal
  <_onat>? ~ <weekpart> => one
  (on|in)? ~ {col} in <weekpart> => when_column
  <_ends> and <_ends> (at|in|on|from|to)? ~ same {word} => same_ends
  <_ends> and <_ends> (at|in|on|from|to)? ~ different {word} => different_ends
  <_ends> (at|in|on|from|to)? ~ same {word} (where|as|that|which|in|from|at|they|it)* <_ends> => same_ends
  ~ {col} <_is>* (equal to|equals|the same as|same as|identical to) ~ {col} => same_columns
  ~ {col} and ~ {col} (is|are|was|were)+ (equal|the same|identical) => same_columns
  ~ {col} <_is>* (not equal to|not the same as|different from|different to|other than) ~ {col} => different_columns
  ~ {col} and ~ {col} (is|are|was|were)+ (different|not the same|not equal) => different_columns
  {made} <when> => when_column
  (we|you|i)? not know ~ {col} => is_missing
  {word} in ~ (name|title) => contains_in_name
  <endpoint> => one
  not <endpoint> => negated
  ~ <num> <_is>* {cmp} than <amount> => compare_adjective
  {cmp} than <amount> => adjective
  ~ <num> <_is>* between <amount> and <amount> => between
  between <amount> and <amount> <num>? => between_after
  <amount> (to|-) <amount> <num> => between_after
  ~ <num> (from|of)? <amount> (to|-) <amount> => between
  ~ <num> <_is>* {n} <orsign> => compare_behind
  {n} <orsign> (in|on|for|at)? ~ <num> => compare_behind_after
  ~ <num> <_is>* <average> => compare_average
  <average> <num> => compare_average_after
  ~ <num> <_is>* <cmp> ~ <num> => compare_columns
  {cmp} <num> than <num> => more_than
  ~ {col} <_is>* <values> => column_is
  ~ {col} <_is>* not ~ <values> => column_is_not
  ~ {col} (is|are|was|equals|=|named|called) {word} => column_word
  {col} (contains|containing|includes|including|contain) {word} => contains
  <values> => one
  not (in|from|at|on|of|a|an|by|with)? ~ <values> => negated
  ~ {col} <_is>* neither {val} nor {val} => column_neither
  neither (in|from)? {val} nor (in|from)? {val} => neither
  not {val} (or|and|nor) {val} => neither
  <when> => one
  {col} <when> => when_column
  ~ {col} <_was>? (missing|unknown|empty|blank|null|unrecorded|unavailable|not recorded|not known|not given|not present|not available|not filled in|not reported|not specified|not listed) => is_missing
  ~ {col} <_was>? (recorded|known|given|present|available|filled in|reported|specified|not missing|not empty|not null|not unknown) => is_present
  ~ {col} not in {period} ((or|,|and) {period})* => not_in_period
  ~ {col} is (yes|true) => flag
  ~ {col} is (no|false) => flag_not
  ~ <num> <_is>* <amount> ((or|,|, or|and) <amount>)+ => equals_any
  ~ <num> <_is>* not equal to <amount> ((or|,|, or) <amount>)* => unequal_any
  ~ {col} (does not contain|not containing) {word} => contains_not
  (without a|without an|with no recorded|with no known|no recorded|no known|no listed|no reported|without a known|without a recorded|not have a recorded) {col} => lacks_one
  (no|without|without any|missing|lack|lacking|lacks|have no|has no|had no|with no|not have|not have a|not have an|not have any|missing a|missing an|missing their|missing the) {col} ({generic}|recorded|value|values|data|given|known|listed|information|info|at all|date|entry)? => lacks
  (with|have|has|had|having)? (a|an|any) (known|recorded|valid)? {col} (recorded|value|given|known)? => has_column
  {event} <when> => when_column
  {event} (after|later than) ~ {col} => later_than
  {event} (before|earlier than|ahead of) ~ {col} => earlier_than
  {event} => happened
  (not|never|not yet|still not) (yet)? (been)? {event} (yet)? => not_happened
  {col} => flag
  not {col} => flag_not
  {notcol} => flag_not
_lasting: (last|lasts|lasted|lasting|took|take|takes|taking)
_was: (is|was|are|were|that is|that was|has been|have been|be)
_is: (by|is|are|was|were|being|be|of|that is|that are|has|have|had|greater|it|a|an|been|their|its|which is|value)
cmpnum: <cmp> => one
  (older than|later than) => '>
  (younger than|earlier than) => '<
cmp: (more than|over|above|exceeded|outnumber|outnumbers|surpass|surpassed|greater than|higher than|larger than|bigger than|exceeding|exceeds|exceed|>|longer than|beyond|upwards of|in excess of) => '>
  (at least|>=|≥|no less than|not less than|no fewer than|a minimum of) => '>=
  (less than|under|below|lower than|smaller than|fewer than|<|shorter than) => '<
  (at most|within|<=|≤|no more than|not more than|up to|a maximum of|not over|no greater than|not above) => '<=
  (exactly|equal to|equals|=) => '=
  (not equal to|!=|<>|other than) => '!=
orsign: or (more|above|over|higher|greater|later|larger|up|better|older|longer) => '>=
  or (less|below|under|lower|fewer|earlier|smaller|worse|younger|shorter) => '<=
average: (above|over|higher than|greater than|more than) ~ average => 'above average
  (below|under|lower than|less than) ~ average => 'below average
amount: (a|an)? {n} => one
  (a|an) <oneunit> => one_of_unit
  - {n} => minus_number
oneunit: minute => 'minutes
  hour => 'hours
  day => 'days
  week => 'weeks
when: (in|during|for|on|of|within|over|throughout|from|the|,)* {period} (only|alone) => in_period
  (in|during|for|on|of|within|over|throughout|at|from|only|the|in the|year|the year|year of|month of|the year of|the month of)* {period} => in_period
  (in|during|for|on)? (the|a)? (years|months)? {period} ((,|and|or|, and|, or) (on)? (the|a)? {period})+ => in_periods
  (since|starting in|starting|starting from|beginning|from|beginning in|in or after|on or after|no earlier than) {period} (on|onwards|onward|and later|and after|until now)? => since
  (since|from) ~ (start|beginning) of {period} => since
  (in|during|for|of)? ~ {ordinal} half of {period} => half_of
  (as of|as at) {period} => as_of
  {period} (or later|onwards|onward|and later|or after|and after|or newer|and newer|and up) => since
  (after|later than|following) {period} => after
  (before|prior to|earlier than|preceding) {period} => before
  (until|till|through|up to|by|by the end of|until the end of|till the end of|through the end of|up to the end of|up until|no later than|up to and including) {period} => until
  {period} (or earlier|and earlier|or before|and before|or older|and older) => until
  (from|during|in|for|of)? (the)? (years|months)? {period} (to|until|till|through|-|–) {period} => period_range
  (between) (the)? (years)? {period} and {period} => period_range
except: (excluding|exclude|except|except for|without|other than|apart from|not counting|leaving out|leave out|ignoring|ignore|but not|not including|without counting|outside|outside of|omitting|if we leave out|if we exclude|if you leave out|if you exclude|if we ignore|besides|aside from|everything but|everything except|everything other than|all but|rather than) => '
way: from {val} => from_value
  (to|into|towards) {val} => to_value
versus: (of|for|in)? <side> (vs|versus|compared to|compared with|against|compared against|v) <side> => versus
  between <sideval> (and|or) <sideval> => versus
  (comparing|compare) <side> (and|vs|versus|with|to|or) <side> => versus
endpoint: (start|starts|started|begin|began|leave|left|leaving|depart|departed|departing|starting|depart)+ (at|in|from) {val} => from_value
  (end|ends|ended|arrive|arrived|arriving|finish|finished|ending|land|landed|landing)+ (at|in|to) {val} => to_value
weekpart: (weekend|weekends) => weekend
  (weekdays|workdays|working days|business days) => workdays
_onat: (on|at|during)
_ends: (start|begin|depart|leave|left|end|ended|ends|ending|finish|arrive|return)
sideval: {val} (ones|{_rows}|{_people})? => side_value
  <weekpart> => one
  weekday => workdays
side: (in|for|during|the|of|on|at)* {val} (ones|{_grain}|{_rows}|{_people})? => side_value
  <_onat>? ~ <weekpart> => one
  (in|for|during|the)* {period} => side_period
  ~ <np> => side_np
  ~ <np> (from|in|of|with|at|by|on) <cond> => side_where
  (those|ones) (from|in|of|with|at|by|on|who|that|for)* <cond> => one
  {col} => flag
  (not|non) {col} => flag_not
sort: (sorted|ordered|sort|order|ranked|rank|arranged)+ (it|them|that)? by ~ <sortkey> <direction>? => sort
  (sorted|ordered|sort|order|ranked|arranged) (it|them)? <direction> => sort_direction
  <direction> => sort_direction
  ~ {sup} ({col}|{_rows}|{_grain}|{generic}|ones)? first => sort_sup
sortkey: <num> => one
  <measure> => one
  (count|number|value|size) => count_all
  {col} => one
direction: (busiest first|most popular first|most common first|most frequent first|descending|desc|in descending order|decreasing|in decreasing order|largest first|highest first|biggest first|most first|from highest to lowest|highest to lowest|from high to low|from largest to smallest|from most to least|from most to fewest|latest first|newest first|high to low|longest first|newest at the top|latest at the top|highest at the top|largest at the top|reverse order) => 'descending
  from? ~ (highest|largest|biggest|greatest|most|priciest|dearest|most expensive|longest|newest|latest) to ~ (lowest|smallest|least|fewest|cheapest|least expensive|shortest|oldest|earliest) => 'descending
  from? ~ (lowest|smallest|least|fewest|cheapest|least expensive|shortest|oldest|earliest) to ~ (highest|largest|biggest|greatest|most|priciest|dearest|most expensive|longest|newest|latest) => 'ascending
  (priciest|dearest|costliest|most expensive|greatest) first => 'descending
  (cheapest|fewest|least|least expensive) first => 'ascending
  (ascending|asc|in ascending order|increasing|in increasing order|smallest first|lowest first|from lowest to highest|lowest to highest|low to high|oldest first|earliest first|alphabetically|in order|shortest first) => 'ascending
grainly: {grainly} => one
chart: (bar|column) (chart|graph|plot|diagram|bars) => part:chart=bar
  bars => part:chart=bar
  stacked bar (chart|graph|plot)? => part:chart=bar
  horizontal bar (chart|graph|plot)? => part:chart=horizontal
  line (chart|graph|plot)? => part:chart=line
  lines => part:chart=line
  (pie|donut|doughnut) (chart|graph)? => part:chart=arc
  (scatter|scatterplot) (plot|chart|graph|diagram)? => part:chart=point
  area (chart|graph|plot)? => part:chart=area
  (histogram) => part:chart=histogram
  (box) (plot|plots|chart)? => part:chart=boxplot
  (boxplot|boxplots) => part:chart=boxplot
  (heat map|heatmap) => part:chart=rect
  (chart|graph|plot|picture|diagram) => part:chart=any
  table => part:chart=table
"""
