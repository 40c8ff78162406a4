# ruff: noqa: E501 - a rule is a line
"""The rules of the grammar for measures."""

__all__ = ["MEASURES"]

MEASURES = r"""
measures: ~ <measure> => measures
  ~ <pre>+ ~ <measure> => measures_of
  ~ <measure> ((,|and|, and|plus|as well as|vs|versus) ~ <measure>)+ => measures
  ~ <agg> ((,|and|, and) ~ <agg>)+ of? ~ <num> => aggregates
  ~ <agg> ((,|and|, and) ~ <agg>)+ of? ~ <num> (per|for each) {rows} => aggregates_each
  ~ {sup} (and|,|or) (what is)? ~ {sup} <num> => two_extremes
  ~ range of ~ <num> => range
  <num> range => range
  ~ {sup} (and|,|or) (what is)? ~ {sup} {rows} => two_extremes_rows
  ~ (first|earliest|oldest) (and|to|,) ~ (last|latest|newest|most recent) {col} => ends_of
measure: <agg> <of> ~ <num> => aggregate
  <num> <_onaverage> => averaged
  <agg> <num> (per|for each) {rows} => aggregate
  <num> (per|for each) {rows} => per_row
  {sup} <num> => extreme
  {n} (th|st|nd|rd)? percentile (of|for)? ~ <num> => percentile
  {word} percentile (of|for)? ~ <num> => percentile_word
  <_countof> ~ <counted> => one
  (on|in|for|at|to|from)? how many (of)? ~ <counted> => one
  (on|in|for|at|to|from)? how much (of)? ~ <counted> => how_much_counted
  how much ~ <num> => bare
  how {adj} (is|are|was|were) ~ (average|typical|mean) ({_rows}|{_part}|{_people}) => how_adjective
  how {adj} => how_adjective
  how long (does|do|did)* (it|they|we)? take to ~ {col} => time_to
  how long (does|do|did|is|are|was|were)* (it|they|we|the|a|an|{_people}|{_rows}) (take|takes) <_onaverage>? <_forone>? (to|until)? (get|be|being|to be)? {col} (a|an|the)? {_rows}? => span_taken
  how many <spanunit> <_onaverage>? (does|do|did|is|are|was|were)* (it|they|we|the|a|an|{_people}|{_rows}) (take|takes) <_onaverage>? <_forone>? (to|until)? (get|be|being|to be)? {col} (a|an|the)? {_rows}? => unit_taken
  how long (does|do|did|is|are|was|were)* (the|a|an)? (average|typical)? {_rows} (last|take)? => span_of_rows
  how many <spanunit> (does|do|did|is|are|was|were)* (the|a|an)? (average|typical)? {_rows} (last|take) => unit_of_rows
  how long (does|do|did)* ~ {col} (take|takes|took)+ <_onaverage>? => span_taken
  how many <spanunit> (does|do|did)* ~ {col} (take|takes|took)+ <_onaverage>? => unit_taken
  total ~ <np> => total_rows
  (total|overall)? ~ (value|amount|worth) of ~ <np> => value_of_rows
  (for|in)? how many ~ {col} (values|entries|figures|readings)? (are|is|were|was)? <_missing> => missing_of
  (number of|count of)? ~ <_missing> (values|entries|data)? (in|for|of) ~ {col} => missing_of
  (number of|count of)? ~ <_missing> {col} (values|entries)? => missing_of
  {_new}? {happenings} => count_events
  {acts} => count_acts
  <_countof> {_new} {rows} {_done} => counted_rows
  {rows} (count|counts|numbers|volume) => counted_rows
  (count|headcount) => count_all
  <num> => bare
  {val} rate => value_rate
  {acted} rate => value_rate
  {act} (rate|percentage|percent) => flag_rate
  {col} rate => flag_rate
  <agg>? <of> ~ <_paid> (amount|value|sum) => amount_done
  <agg>? <of> ~ (amount|money|value|sum)+ (of money)? <_paid> => amount_done
  how much (did|do|does|have|has)* (we|you|i|they|it) (collect|make|earn|take|get|bring|receive|raise|generate|collected|made|earned|taken|received|raised)+ (in|from|with|on|through)* <num> => sum_said
  how many <spanunit> (<_onaverage>|passed|pass|elapsed|elapse|go by|went by|lie|there|are|is|did|do|does|it|take|took|taken|has|have|usually)* (between|from) ~ {col} (of|for)* ~ {_rows}? (and|to|until) (it|they)? (is|was|were|being|be|has been|have been)* ~ {col} => days_between
  ~ {takings} (given|raised|donated|collected|paid|spent)? => takings
  ~ (latest|last|most recent|newest) {col} => last_date
  ~ (earliest|first|oldest) {col} => first_date
  <agg> <of> ~ {_rows} (size|value|amount)? => aggregate_rows
  ~ (what|how much) (did|do|does|have|has)+ (we|you|i|they) {_rows} => billed
  ratio of ~ <num> to ~ <num> => per
  (<_onaverage>|,)* by? (how many|how much) {word}? (does|do|did) ~ <num1> (exceed|surpass|outnumber|outweigh|outdo) ~ <num1> => exceeds
  (how many|how much|number of|amount of|total) ~ <pre>+ <num> => sum_of
  (how many|number of|total number of) <people_who> => sum_said
  how many {unitcol} (did|do|does|have|has|had|was|were|are)+ (we|you|i|they|it|{_rows}|{col})? {word} => sum_of_unit
  (how many|how much|number of|amount of) {word} (was|were|is|are|got|get|has been|have been)+ {word} => column_done
  <agg>? ~ {word} \( (=|i e|that is|meaning|defined as|or)* <measure> \) => defined
  (total|sum of|overall|combined) ~ <num> (divided by|/|over|per) ~ (total|sum of|overall|combined) ~ <num> => sum_per_sum
  (average|mean) <_countof> ~ <counted> <_each> <label> => per_label
  <_countof> ~ <counted> (are|were|is|was|there)* <_each> <label> <_onaverage> => per_label
  <_onaverage> , <_countof> ~ <counted> (are|were|is|was|there)* <_each> <label> => per_label
  (average|mean) (total|sum) (of)? ~ <summed> <_each> <label> => per_label
  (average|mean) <counted_rows> <_each> <label> => per_label
  <counted_rows> <_each> <label> <_onaverage> => per_label
  (average|mean) <_countof> ~ <summed> <_each> <label> => per_label
  ~ <num> (per|for each|divided by|/) ~ <num> => per
_forone: for (a|an|the|each)? ({_rows}|{_people}|{_generic}|item)
_paid: ({_done}|spent|paid|billed|charged|donated|given|raised|collected)
_missing: (missing|unknown|empty|blank|null|unrecorded)
_each: (per|in each|for each|in every|a|an|each|for every|by each)
summed: <num> => sum_one
_onaverage: (on average|average|in the mean)
_countof: (number of|total number of|count of|the number of|total count of|amount of|frequency of|how many|count|numbers of)
of: (of|for|in)? => '
agg: (average|mean|avg|typical|expected) => 'mean
  (total|grand total|sum|overall|combined|summed|sum total|total amount|aggregate) => 'sum
  median => 'median
  (typical|average|middle) \( median \) => 'median
  (typical|average) \( (mean|average) \) => 'mean
  (maximum|max|peak) => 'max
  (minimum|min) => 'min
  (standard deviation|std dev|stddev|std|sd) => 'stddev
  variance => 'variance
counted_rows: {rows} => summed_rows
people_who: ~ {people} (who|that)? (were|was|are|is|got|get|have been|had been)* {col} => number_people
counted: times => count_all
  {grain} => grains_counted
  {_new}? {happenings} => count_events
  ~ (different|distinct|unique|individual|separate) {col} {generic}? => distinct
  ~ {thing} {generic}? => count_column
  ~ {col} {generic} => count_column
  <np> => count_np
num: ~ {col} {generic}? => number
  ~ {unitcol} => number
  ~ {col} (%|percent|percentage) => number_percent
  ~ {col} time => number_time
  ~ time (to|until) ~ {col} => number_time
  ~ {unit} (to|until) ~ {col} => unit_to
  ~ (number of)? <spanunit> (between|from) ~ {col} (and|to|until) ~ {col} => unit_between
  ~ <_span> (between|from) ~ {col} (and|to|until) ~ {col} => span_between
  ~ (number of)? <spanunit> (between|from) ~ {doing} ({_rows}|it|them|a|an|the)* (and|to|until) ~ {doing} (it|them|a|an|the|{_rows})* => unit_between
  ~ <_span> (between|from) ~ {doing} ({_rows}|it|them|a|an|the)* (and|to|until) ~ {doing} (it|them|a|an|the|{_rows})* => span_between
  {earned} => one
  ~ <_percentage> of (everything|what|all|those)* (we|they|you|that)* <num1> ({_rows}|items|units|pieces|goods)? (that|was|were|is|are|got|gets|ended up)+ <num1> => share_done
  ~ <_percentage> of ~ (total|overall)? <num1> (was|were|is|are|got|has been|have been)+ (actually|really)? {word} => share_then_done
  ~ <_percentage> of <num1> (items|units|pieces|goods) <num1> => share_done
  ~ <_span> (between|from) ~ {col} (and|to|until) ~ {col} \(? in <spanunit> \)? => span_between
  ~ <_span> \(? in <spanunit> \)? (between|from) ~ {col} (and|to|until) ~ {col} => span_in_between
  ~ {span} => one
  ~ {_rows} {span} => one
  ~ (number of)? <spanunit> (to|until) ~ (being|be|get|getting)? {col} => unit_until
  ~ {span} \(? in <spanunit> \)? => span_in
  ~ {_rows} {span} \(? in <spanunit> \)? => span_in
  ~ (number|count) of ~ {col} => number
  ~ {_rows} {col} => number
  ~ {col} by ~ {rows} => number_by
  ~ {grainly} {col} => number_daily
  <people_who> => one
  ~ {col} {people} => number_of_people
  ~ (number|count) of ~ {col} {people} => number_of_people
  ~ {col} (scored|sold|made|earned|paid|used|recorded|reported|received|filed|produced|emitted|travelled|spent|raised|collected|donated|given|charged|ridden|driven|flown|run|covered|walked|cycled|billed|consumed|generated|issued) => number
  ~ <num1> (times|multiplied by|x|\*|×) ~ <num1> => binary*
  ~ <num1> (minus|less|-) ~ <num1> => binary-
  ~ <num1> plus ~ <num1> => binary+
  ~ (difference|gap) between ~ <num1> and ~ <num1> => binary-
  ~ <num1> (in|as) ~ <_percentage> of ~ (total|overall|all)? <num1> => binary%
  ~ <_percentage> of ~ <num1> (in|among|of|out of|to|amongst) ~ (all|total|overall)? <num1> => binary%
spanunit: seconds => 'seconds
  minutes => 'minutes
  hours => 'hours
  days => 'days
  weeks => 'weeks
_span: (time|duration|gap|delay|interval|lag|difference|period|waiting time)
num1: {col} => number
_percentage: (percent|percentage|pct|%|share|proportion|fraction)
"""
