# ruff: noqa: E501 - a rule is a line
"""The rules of the grammar for conditions and periods."""

__all__ = ["CONDITIONS"]

CONDITIONS = r"""
conds: (with|have|has|had|having)+ both ~ {col} (and|and a|and an) {col} => both_flags
  (is|are|were|was|have|has)* both? ~ {col} and ~ {col} <_was>? (missing|unknown|empty|blank|null) => both_missing
  (no|without|missing|lack|lacking|lacks|have no|has no|not have|miss)+ both? ~ {col} {generic}? (and|and no|and the) ~ {col} {generic}? => both_missing
  (missing|misses|miss)+ either? ~ {col} {generic}? or (missing)? ~ {col} {generic}? => either_missing
  <_lacking>+ (either|any)? ~ {col} {generic}? or <_lacking>* ~ {col} {generic}? => either_or_both
  both? <_ends> and <_ends> (at|in|on|from|to)+ ~ {val} => both_ends_at
  <cond> ((and|but|as well as|and also|, and|,) <_link>* <cond>)* => conds
  <cond> (or <_link>* <cond>)+ => conds_any
cond: ~ <num> <_is>* <cmpnum> <amount> => compare
  <cmp> <amount> (in|of|to|{_people})? <num> => compare_after
  (with|having)? (a|an)? negative <num> => negative_number
  (with|having)? (a|an)? positive <num> => positive_number
  ~ <num> <_is>* (negative|below zero|less than zero|under zero) => negative_number
  ~ <num> <_is>* (positive|above zero|greater than zero) => positive_number
  before <amount> (in|of)? <num> => compare_before
  after <amount> (in|of)? <num> => compare_past
  at? {n} <orsign> => compare_unit_behind
  <cmp> <amount> => compare_unit
  ~ <num> of <cmp>? <amount> => compare_of
  <amount> <num> => equals_after
  <_lasting> <cmpnum> <amount> => span_compare
  <_needing> in? <cmpnum> <amount> => compare_length
  sub <amount> => sub_length
  <_needing> in? between <amount> and <amount> => between_lengths
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
  <_ends> (at|in|on|from|to)? ~ same {word} (where|as|that|which|in|from|at|they|it)* <_ends> (from|at|in)? => same_ends
  ~ {col} (is|was|are|equals|equal to|=)+ <when> => when_column
  ~ {col} (is|was|are)+ <cmpnum> {n} => compare_year
  ~ {col} (is|was|are)+ between {n} and {n} => between_years
  ~ {col} (is|was|are)+ more than ~ {col} => later_than
  ~ {col} (is|was|are)+ less than ~ {col} => earlier_than
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
  {cmp} than (they|it) (are|is|were|was) {adj} => more_than_adjective
  {cmp} than <amount> => adjective
  {cmp} than ~ (overall|general)? (average|mean|usual) => adjective_average
  <cmp> <amount> (late|delayed|behind schedule) => cmp_late
  worth <cmp>? <amount> => worth
  free (of charge)? => free
  worth <amount> <num> => equals_after
  (not belong to|not part of|not members of|not a member of|not assigned to|not linked to) (a|an|any) {col} => lacks_one
  {notevent} (yet|so far)? => not_happened
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
  not (a|an)+ ~ <values> {_rows} => negated
  (have|has|had|having)+ to <num> <cmp> <amount> => compare
  (include|includes|included|including|with|have|has|had|having)+ (any|some)? {col} => has_some
  (sell|sells|sold|go|goes|went|offered|listed|bought|paid)+ (for|at)+ <cmp> <amount> => priced
  (sell|sells|sold|go|goes|went|offered|listed|bought|paid)+ (for|at)+ between <amount> and <amount> => priced_between
  (sell|sells|sold|go|goes|went|offered|listed|bought|paid)+ (for|at)+ <cmp> ~ <num> => priced_like
  ~ {col} <_is>* neither {val} nor {val} => column_neither
  neither (in|from)? {val} nor (in|from)? {val} => neither
  not {val} (or|and|nor) {val} => neither
  <when> => one
  {col} <when> => when_column
  <clocked> => one
  not <clocked> => negated
  ~ {col} <_is>* <clocked> => clock_column
  {event} <clocked> => clock_column
  (start|starts|started|starting|begin|begins|began|beginning|depart|departs|departed|departing|leave|leaves|left|leaving) <clocked> => one
  (end|ends|ended|ending|finish|finishes|finished|finishing|arrive|arrives|arrived|arriving) <clocked> => one
  ~ {col} <_was>? (missing|unknown|empty|blank|null|unrecorded|unavailable|not recorded|not known|not given|not present|not available|not filled in|not reported|not specified|not listed) => is_missing
  ~ {col} <_was>? (recorded|known|given|present|available|filled in|reported|specified|not missing|not empty|not null|not unknown) => is_present
  ~ {col} not in {period} ((or|,|and) {period})* => not_in_period
  ~ {col} is (yes|true) => flag
  ~ {col} is (no|false) => flag_not
  ~ <num> <_is>* <amount> ((or|,|, or|and) <amount>)+ => equals_any
  ~ <num> <_is>* not equal to <amount> ((or|,|, or) <amount>)* => unequal_any
  ~ {col} (does not contain|not containing) {word} => contains_not
  (unknown|missing|blank|empty|unspecified) {col} => missing_one
  (lack|lacks|lacking|miss|misses) (a|an|any|the|their)+ {col} {generic}? => lacks_one
  (without a|without an|with no recorded|with no known|no recorded|no known|no listed|no reported|without a known|without a recorded|not have a recorded) {col} => lacks_one
  (have|has|had|with)? (nobody|no one|noone) {col} (to (it|them))? => nobody_done
  missing (a|an|any|the|their|its)* {col} {generic}? => lacks_one
  ~ {col} {generic} <_was>? (missing|unknown|empty|blank|null) => is_missing
  ~ number of {col} <_was>? (missing|unknown|empty|blank|null) => is_missing
  (no|without|without any|lack|lacking|lacks|have no|has no|had no|with no|not have|not have a|not have an|not have any) {col} ({generic}|recorded|value|values|data|given|known|listed|assigned|entered|specified|noted|logged|set|filled in|information|info|at all|date|entry)? => lacks
  (with|have|has|had|having)? (a|an|any) (known|recorded|valid)? {col} (recorded|value|given|known)? => has_column
  still <_staying> => still_there
  (no longer|not) <_staying> (any more|anymore|any longer)? => gone
  <_earning> <cmp> <amount> => earns
  (get|gets|got|being|are|is)? paid <cmp> <amount> => paid_more
  <_earning> between <amount> and <amount> => earns_between
  {event} <when> => when_column
  {event} (after|later than) ~ {col} => later_than
  ({event}|{col}|{_done}) (too)? late => happened_late
  (came|come|brought|handed|sent|given) (back|in) (too)? late => ended_late
  {event} (before|earlier than|ahead of) ~ {col} => earlier_than
  {event} => happened
  (not|never|not yet|still not) (yet)? (been)? {event} (yet)? => not_happened
  (never|not) (yet)? (been)? {tally} => never_done
  {col} => flag
  not {col} => flag_not
  {notcol} => flag_not
_lasting: (last|lasts|lasted|lasting|took|take|takes|taking)
_staying: (work|works|working|employed) (here|with us|for us|at the company|for the company|in the company|with the company|at the firm|for the firm|there)?
  (with|here with|around with) us
  (here|around)
  (with|at|in|part of) (the|our) (company|firm|organisation|organization|business|team)
  on (staff|the team|the payroll)
_lacking: (no|without|lack|lacking|lacks|have no|has no|not have|with no)
_earning: (earn|earns|earned|earning|make|makes|made|making)
_needing: (need|needs|needed|require|requires|required|clocked|manage|manages|managed)
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
average: (above|over|higher than|greater than|more than) ~ (overall|general)? (average|mean) => 'above average
  (below|under|lower than|less than) ~ (overall|general)? (average|mean) => 'below average
amount: (a|an)? {n} => one
  (a|an) <oneunit> => one_of_unit
  - {n} => minus_number
oneunit: minute => 'minutes
  hour => 'hours
  day => 'days
  week => 'weeks
  month => 'months
  year => 'years
clock: {clock} => one
  {n} <half> => clock_in_half
half: in the morning => 'a
  (in the afternoon|in the evening) => 'p
clocked: (before|prior to|earlier than) <clock> => clock_before
  (after|later than|past) <clock> => clock_after
  (from|since|at or after) <clock> (on|onwards|onward)? => clock_from
  <clock> (or later|onwards|onward|and later|or after|and after) => clock_from
  (until|till|up to|by|no later than|at or before) <clock> => clock_until
  <clock> (or earlier|and earlier|or before|and before) => clock_until
  between <clock> and <clock> => clock_range
  from? <clock> (to|until|till|-) <clock> => clock_range
  between {n} and <clock> => clock_range_from
  from? {n} (to|until|till|-) <clock> => clock_range_from
  <clocked> <half> => clock_of_half
  at <clock> => clock_at
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
  (from|during|in|for|of)? (the)? (years|months)? {period} (to|until|till|through|-|–) ~ {period} => period_range
  (between) (the)? (years)? {period} and {period} => period_range
except: (excluding|exclude|except|if you do not count|if we do not count|if i do not count|if you ignore|if i ignore|except for|without|other than|apart from|not counting|leaving out|leave out|ignoring|ignore|but not|not including|without counting|outside|outside of|omitting|if we leave out|if we exclude|if you leave out|if you exclude|if we ignore|besides|aside from|everything but|everything except|everything other than|all but|rather than) => '
way: from {val} => from_value
  (to|into|towards) {val} => to_value
"""
