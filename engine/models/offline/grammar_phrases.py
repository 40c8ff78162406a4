# ruff: noqa: E501 - a rule is a line
"""The rules of the grammar for phrases: measures, nouns, conditions, groups, order and charts."""

__all__ = ["PHRASES"]

PHRASES = r"""
np: ~ <pre>* {rows} => np
  ~ <pre>* {rows} <cmp> <amount> => np_aged
  late {happenings} => np_late
  ~ {people} <cmp> <amount> => aged
  ~ {people} <_to_be>* <cmp> <amount> or <cmp> <amount> => aged_either
  ~ {people} <_to_be>* between <amount> and <amount> => aged_between
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
  (current|active|existing|present) => still_there
  {notevent} => not_happened
  {n} => unit_value
  sub {n} => sub_length
  {period} => in_period
  {grainly} {period} => nothing
  {notcol} => flag_not
  {col} => flag
  (not|non|un) {col} => flag_not
  (non|not) <values> => negated
values: {val} ({generic}|{people})? => value_noun
  (fully|completely|entirely|purely) {val} => fully
  (called|named|titled) {val} => side_value
  {val} {word} => value_sorted
  {val} (ones)? ((,|and|or|&|, and|, or|and also) ~ {val})+ => value_list
  {col} (in|by|with|via|is)? {val} => value_named
  {val} {col} => value_of
  {col} {val} ((,|and|or|, and|, or) ~ {val})+ => value_list_named
  {val} ((,|and|or) {val})+ {col} => value_list_of
  either {val} or {val} => value_list2
mod: ,? <group> => one
  ,? <_to_be>+ <conds> => parted:predicate
  ,? <_to_be>+ (from|in|on|of|at|by|with|a|an|the|to|for|as)* <np> => predicate_np
  ,? (that|which|who|whose|where|when|if|with|having|w)+ <_link>* <conds> => parted:relative
  ,? (where|when|if|but|and|while|whose)+ ~ {thing} <_to_be>+ <conds> => owned
  ,? (of|for|in|among|from|but|only|just|considering|counting|looking at|looking only at|restricted to|limited to|out of)+ ~ (those|ones|everyone|people) (that|which|who|with|where)* <_link>* <conds> => parted:where
  ,? <_linked>* <conds> => parted:where
  ,? (looking only at|looking at only|only looking at|looking just at|only counting|counting only|considering only|only considering|restricted to|limited to|focusing on|focusing only on) ~ <np> (that|which|who)? <_to_be>* => where_filtered
  ,? (looking only at|looking at only|only looking at|looking just at|only counting|counting only|considering only|only considering|restricted to|limited to|focusing on|focusing only on) ~ {_rows} (that|which|who)? <_to_be>* <conds> => parted:where
  ,? (of|for|in|among|from|across|on) ~ {_rows} => idle
  ,? <_to_be>+ (of|for|in|among|from|on) ~ {_rows} => idle
  (to|for|from|with|among) ~ {col} (in|from|at|of|on) ~ <values> => persons_where
  ,? (in|from|across|at|on|by|with|within|to|about|during|into|using|for|of|among|via|near|under|inside|due to|because of|caused by|resulting from|owing to|attributed to)? (only|just)? <np> (only|just|alone)? => where_filtered
  through ~ {val} => where_through
  to {did} => where_value
  ,? (on|in|during|at)+ (only|just)? ~ {val} {_grain} (only|just|alone)? => where_value
  ,? (of|for)? (everything|all|anything|all those|all rows|everyone|anybody|anyone)? <except> <np> => except
  (leaving|leave) <np> (out|aside) ,? => leaving_out
  ,? <except> (those|ones|the ones|all those)? <np>? (that|which|who|whose|with|where)* <_link>* <cond> => except_where
  ,? (for|of|in|among|from|by|between) ~ {val} and (for|of|in|from|by)? ~ {val} ({_people}|{_generic}|ones)? => each_of
  (do|does|did|has|have)+ <values> (have|had|fly|flew|use|used|sell|sold|make|made|offer|offered|serve|served|run|own|operate|handle|handled|hold|held|{_done})? => where_done
  ,? (for|of|in|among|from|between) ~ {val} , ~ {val} ((,|and|, and) ~ {val})+ ({_people}|{_generic}|ones)? => each_of_list
  ,? by ~ {val} ((,|and|, and) by? ~ {val})+ ({_people}|{_generic}|ones)? => by_values
  (by|from|for|among) ~ {_people} (who|that)* (are|were|was|is)* <conds> => parted:where
  <versus> => one
  (of|for|in)? <side> (vs|versus|compared to|compared with|against|and)+ (the rest|the others|others|the other ones|all others|everyone else|everybody else|everything else) => side_and_rest
  <way> => way
  <_in>? {period} ((,|and|, and) <_in>? {period})+ => each_period
  <_by> {grain} (of|in) {period} => grain_of_period
  over (the)? {grain} (of|in) {period} => grain_of_period
  (from|between)? {n} (to|and|-|until|through) {period} => days_range
  (including|with|show|all of them)* (if|in case|when)? (there are|they)? (ties|tie) => part:nothing
  ,? (include|including|show|list|give|return|name)+ (me)? (all|everyone|every|both) ~ ({col}|{rows}|of them)? (if|in case|when|that|who)* (there is|there are|is|are)? (a|any)? (tie|ties|tied) (for first|for first place|for the top|at the top)? => part:nothing
  ,? (and|but)? (if|in case|when) (there is|there are|it is|several|some|more than one|they)+ (a|any|are)? (tie|ties|tied) ,? (include|show|list|give|return|name) (me)? (all|both|them|all of them|both of them|them all) => part:nothing
  and (his|her|its|their|the) <num> => also
  and how {adj} (is|are|was|were)* (they|he|she|it)? => also_adjective
  (how many|how much|what) <num> => also
  ,? (with|and|showing|give|tell|show|list|their|its|along with|together with|including|include|plus|as well as|alongside|each with|both)+ (me)? ~ {col} ((,|and|, and|as well as) ~ {col})* => also_columns
  : ~ {col} ((,|and|, and) ~ {col})* => also_columns
  \( (show|with|give|list)? ~ {col} ((,|and|, and) ~ {col})+ \) => also_columns
  , ~ <num> => also_number
  <_link>* (both|also|,)* <cmp>? <amount> <np> => having_count
  <_link>* <_occur>* <cmp>? <amount> times => having_times
  <_link>* <_occur>* {n} times <orsign> => having_times_behind
  <_link>* (no|zero|without any|not any) <np> => having_none
  <_link>* never (been|had|have|has|was|were|is|a|an|the|got|gotten)* <conds> => having_never
  <_link>* (losing|lose|loses|lost|making a loss) money? => having_loss
  <_link>* more than once => having_once
  <_link>* more than twice => having_twice
  (<_link>|host|hold|offer|employ|own|need|needs|needed|require|required|undergo|underwent|win|won)* {n} <orsign> <np> => having_count_behind
  ,? <_link>* (without being|not being|not|never)+ <_classed> (as|a|an|the)* {col} => where_flag_not
  ,? <_link>* <_classed> (as|a|an|the)* {col} => where_flag
  <_link>* <measure> <_is>* <cmp> <amount> => having
  ,? (but|only|just|for|among|considering|counting|including)+ ~ {col} (that|which|who|with|having|have|had|has)+ <cmp> <amount> <np> => having_count_of
  ,? (but|only|just|for|among|considering|counting|including)+ ~ {col} (that|which|who|with|having|have|had|has)+ <measure> <_is>* <cmp> <amount> => having_of
  {_done} => part:skip
  ,? (give|show|tell|what)* (me|us|is)* ~ (correlation|correlation coefficient) => part:correlated
  (bring|come|sign|take|turn|show|came|took|brought) (in|up|out|on) => part:skip
  (take|took) (place|part) => part:skip
  (go|went) (in|out|on) => part:skip
  (carry|carried) out => part:skip
  (in|,)+ {unit} => parted:in_unit
  (show up|shows up|appear|appears|occur|occurs|listed|used|repeated)+ (more than once|twice|multiple times|several times) => part:repeated
  ~ <agg> (one|value|price)? => parted:aggregate
  (compare|comparing|comparison of) => compare
  <_in>? ~ <side> (with|to|and|or) (that|those|the number|the average|the total)? <side> => pair
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
  ,? (with|in|using)? (one|a|another|different|separate|own|its own) (color|colour|colors|colours|line|lines|bar|bars|series|curve) (by|per|for each|for every|for) <label> => group_of
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
  (compared with|compared to|versus|vs|than|relative to|against) ~ (previous|prior|preceding) {grain} => step
group: <_by> {route} => group_route
  (do|does|did|has|have) (each|every) <label> (have|had|fly|flew|use|used|sell|sold|make|made|get|got|serve|served|offer|run|own|operate|handle|handled|hold|play|visit|order|buy)? => group_of
  <_by> <label> ((and|by|per|and by|for each|and for each|and per|within|within each|and each|in each|on each|, by|, and|, per) <label>)* => group
  over (the|our|these|those|different)* <overlabel> => group
  over time => over_time
  over (the|these|those|our|its|a|an)? {grain} => over_grain
  {grain} (by|on|after) {grain} => by_same_grain
  from {grain} to {grain} => by_same_grain
  {col} (by|after) {col} => by_same_column
overlabel: {col} {generic}? => label
  calendar {grain} => grain
  (number|count) of ~ {col} => label_number
  (type|types|kind|kinds|sort|sorts|category|categories) of ~ {col} => label
  {_rows} {col} {generic}? => label
  {col} {grain} => grain_of_column
  (day of the week|weekday|day of week|days of the week|weekdays) => weekday
  (month of the year|calendar month|month of year|months of the year) => month_of_year
  (hour of the day|hour of day|time of day|hours of the day) => hour_of_day
_occur: (used|appear|appears|appeared|occur|occurs|occurred|listed|seen|visited|recorded|mentioned|show up|shows up|showed up|chosen|picked|ordered|been)
_classed: (being|classed|classified|labelled|labeled|marked|flagged|listed|tagged|counted|treated|rated|considered|described|recorded)+
_by: (by each|at the end of each|by the end of each|for each combination of|for every combination of|per combination of|by combination of|for all combinations of|in each combination of|into each|into every|falls into each|fall into each|fell into each|belong to each|belongs to each|each combination of|every combination of|by|per|of every|for all|in all|for all the|in all the|for each of|in each of|by each of|for each|for every|in each|within each|of each|on each|at each|from each|with each|to each|comes from each|come from each|came from each|through each|via each|comes in through each|goes to each|went to each|comes from every|during each|during every|each|every|across each|across every|across the|across different|grouped by|group by|grouped per|split by|split per|broken down by|break down by|break it down by|and break it down by|separated by|according to|depending on|for different|for the different|by each|over each|over every|in every|by every|separately for each|separately for)
_in: (in|for|of|from|on|at)
label: ~ {col} {generic}? => label
  <banded> => one
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
  ~ presence of ~ {col} => presence
  (day of the week|weekday|day of week|days of the week) => weekday
  (month of the year|calendar month|month of year|months of the year) => month_of_year
  (hour of the day|hour of day|time of day) => hour_of_day
_to_be: (is|are|was|were|be|been|has|have|had|do|does|did|get|gets|got|being|come|comes|came|go|goes|went|belong|belongs|live|lives|work|works|use|uses|used|made|took|takes|ended|end|happened|happen)
_link: {_made}
  (even though|although|though|yet|but|earned|made|grossed|scored|received|raised|generated|gained|recorded|reported|posted|logged|racked up|showed|show|shows|reached|hit|see|saw|contained|carried|carrying|involving|costing|scoring|showing|won|win|wins|winning|going to|heading to|heading for|bound for|ended|ended in|ended up|resulted in|led to|got|get|gets|w|took|used|bought|rated|went|go|goes|flew|fly|still|live|lives|lived|come|comes|came|came out|belong|where|with|when|having|have|has|had|is|are|was|were|be|been|it|they|there|do|does|did|only|if|for|of|in|at|on|a|an|from|where the|just|they|being)
_linked: {_made}
  (even though|although|though|yet|but|earned|grossed|scored|received|raised|generated|gained|recorded|reported|posted|logged|racked up|showed|show|shows|reached|hit|see|saw|contained|carried|carrying|costing|scoring|involving|won|win|wins|winning|going to|heading to|heading for|bound for|ended in|ended up|resulted in|led to|w|bought|rated|flew|fly|still|lived|came out|where|with|when|having|it|they|there|only|if|for|of|in|at|on|a|an|from|where the|just|they)
versus: (with|having)? (a|an|any|the)* {col} (vs|versus|compared to|compared with|compared against|against|and|or)+ (those|ones|{_rows})* (without|that do not|that are not|that were not|not)+ (one|it|any|them)? => flag_sides
  (with|having)? (a|an|any|the)* {col} (vs|versus|compared to|compared with|compared against|against|and|or)+ (those|ones|{_rows})* (without|with no|having no|that have no|no)+ (a|an|any|the)* {col} => flag_both
  (with|having|that have)+ (and|or|vs|versus|compared to|compared with|against)+ (those|ones|{_rows})* (without|with no)+ (a|an|any|the)* {col} => flag_sides
  (of|for|in)? ~ {col} (ones|{_rows})? (vs|versus|compared to|compared with|compared against|against|and)+ ~ (normal|regular|ordinary|standard|usual) (ones|{_rows})? => flag_sides
  (of|for|in)? <side> (do|have|make|get|handle|take)? (vs|versus|compared to|compared with|against|compared against|v) <side> => versus
  <_to_be>+ {col} (,|and)+ how many (of them|{_rows})? <_to_be>+ not => flag_sides
  <_to_be>+ {col} (,|and)+ how many (of them|{_rows})? <_to_be>* {notcol} => flag_both
  between <sideval> (and|or) <sideval> => versus
  (comparing|compare) <side> (and|vs|versus|with|to|or) <side> => versus
endpoint: (start|starts|started|begin|began|leave|left|leaving|depart|departed|departing|starting|depart)+ (at|in|from) {val} => from_value
  (end|ends|ended|arrive|arrived|arriving|finish|finished|ending|land|landed|landing)+ (at|in|to) {val} => to_value
weekpart: (weekend|weekends) => weekend
  (weekdays|workdays|working days|business days) => workdays
_onat: (on|at|during)
_ends: (come back|came back|comes back|start|starts|started|starting|begin|begins|began|depart|departed|leave|left|end|ended|ends|ending|finish|finished|arrive|arrived|return|returned)
sideval: {val} {col} => value_of
  {val} (ones|{_rows}|{_people})? => side_value
  <weekpart> => one
  weekday => workdays
side: (in|for|during|the|of|on|at|by|from|to)* {val} {col} => value_of
  weekday => workdays
  (in|for|during|the|of|on|at|by|from|to)* {val} {word} => value_sorted
  (in|for|during|the|of|on|at|by|from|to)* {val} (ones|{_grain}|{_rows}|{_people})? => side_value
  <_onat>? ~ <weekpart> => one
  <weekpart> {_rows} => one
  weekday {_rows} => workdays
  (in|for|during|the)* {period} => side_period
  (in|for|during|of)? ~ {ordinal} half of {period} => half_of
  (from|between|in|for|during)? {period} (to|and|-|through) {period} => period_range
  ~ <np> => side_np
  (of|for|in|among)* ~ <np> (from|in|of|with|at|by|on|to|for|into|using|via) <cond> => side_where
  (those|ones) (from|in|of|with|at|by|on|who|that|for)* <cond> => one
  {col} (ones|{_rows})? => flag
  (not|non) {col} => flag_not
  {notcol} (ones|{_rows}|{_people}|{_generic})? => flag_not
banded: ~ {col} {generic}? (in|into|with|by|using)* <_steps> of {n} ({unit}|{_grain}|points|each)? => banded
  ~ {col} {generic}? (in|into|with|by|using)* {n} ({unit}|{_grain}|point)? <_steps> => banded
  {n} ({unit}|{_grain}|point)? <_steps> (of|for) ~ {col} => banded_after
_steps: (step|steps|band|bands|bucket|buckets|bin|bins|interval|intervals|group|groups|class|classes|range|ranges|bracket|brackets)
sort: (sorted|ordered|sort|order|ranked|rank|arranged)+ (it|them|that)? by ~ <sortkey> <direction>? => sort
  (sorted|ordered|sort|order|ranked|arranged) (it|them)? <direction> => sort_direction
  <direction> => sort_direction
  (newest|latest|most recent) (ones)? (first|at the top) => sort_newest
  (oldest|earliest) (ones)? (first|at the top) => sort_oldest
  ~ {sup} ({col}|{_rows}|{_grain}|{generic}|ones)? first => sort_sup
  from? ~ {sup} to ~ {sup} => sort_sup_to
  ,? (sorted|ordered|ranked) => sort_bare
sortkey: <num> => one
  <measure> => one
  (count|number|value|size) => count_all
  {col} => one
direction: (best seller first|best sellers first|best selling first|top seller first|top sellers first|busiest first|most popular first|most common first|most frequent first|descending|desc|in descending order|decreasing|in decreasing order|largest first|highest first|biggest first|most first|from highest to lowest|highest to lowest|from high to low|from largest to smallest|from most to least|from most to fewest|high to low|longest first|highest at the top|largest at the top|reverse order) => 'descending
  from? ~ (highest|largest|biggest|greatest|most|priciest|dearest|most expensive|longest|newest|latest) to ~ (lowest|smallest|least|fewest|cheapest|least expensive|shortest|oldest|earliest) => 'descending
  from? ~ (lowest|smallest|least|fewest|cheapest|least expensive|shortest|oldest|earliest) to ~ (highest|largest|biggest|greatest|most|priciest|dearest|most expensive|longest|newest|latest) => 'ascending
  (priciest|dearest|costliest|most expensive|greatest) first => 'descending
  (cheapest|fewest|least|least expensive) first => 'ascending
  (ascending|asc|in ascending order|increasing|in increasing order|smallest first|lowest first|from lowest to highest|lowest to highest|low to high|alphabetically|in order|shortest first) => 'ascending
grainly: {grainly} => one
chart: (bar|column) (chart|graph|plot|diagram|bars) => part:chart=bar
  bars => part:chart=bar
  stacked (bar|bars|column|columns) (chart|graph|plot)? => part:chart=bar
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
