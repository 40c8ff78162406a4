"""Names of functions that read only their arguments, for checking a statement before it runs in a source.

`SAFE` lists safe functions that `sqlglot` does not know. The functions that `sqlglot` knows are allowed too, except
those in `REFUSED_KINDS`. All other functions are refused: a database has functions that write, read files, call other
servers or run SQL that is passed as a string, and nobody can list all of these.
"""

__all__ = ["REFUSED_KINDS", "SAFE"]

_REFUSED_KINDS = """
aiagg aiclassify aiembed aiforecast aigenerate aisummarizeagg aitext anonymousaggfunc featuresattime
generatebool generatedouble generateembedding generateint generatetable generatetext loadextension mlforecast
mltranslate nextvaluefor openjson predict readcsv readparquet vectorsearch xmltable
"""
_SAFE = """
abbrev abs acos acosd acosh add_months age aggregate any_value approx_count_distinct approx_percentile array
array_agg array_append array_cat array_compact array_contains array_distinct array_except array_intersect
array_join array_length array_lower array_max array_min array_ndims array_position array_positions array_prepend
array_remove array_repeat array_replace array_size array_sort array_to_json array_to_string array_union
array_upper arrays_overlap ascii asin asind asinh atan atan2 atand atanh avg bin bit_and bit_count bit_length
bit_or bit_xor bool_and bool_or broadcast bround btrim cardinality cbrt ceil ceiling char char_length
character_length charindex chr coalesce collect_list collect_set concat concat_ws contains conv convert_timezone
corr cos cosd cosh cot cotd count count_if covar_pop covar_samp crc32 cume_dist curdate current_date
current_time current_timestamp current_timezone date date_add date_bin date_diff date_format date_from_unix_date
date_part date_sub date_to_str date_trunc dateadd datediff daterange datetime day dayname dayofmonth dayofweek
dayofyear decode degrees dense_rank div element_at encode endswith epoch erf erfc every exists exp explode
explode_outer expm1 extract factorial family filter find_in_set first first_value flatten floor forall format
format_number format_string from_json from_unixtime from_utc_timestamp gcd gen_random_uuid generate_series
generate_subscripts get get_byte get_json_object getbit greatest group_concat grouping grouping_id hash hex host
hostmask hour hypot if ifnull iif inet_same_family initcap inline instr int4multirange int4range int8range
isempty isfinite isnan isnotnull isnull json json_agg json_array json_array_elements json_array_elements_text
json_array_length json_build_array json_build_object json_each json_each_text json_extract json_extract_path
json_extract_path_text json_group_array json_group_object json_object json_object_agg json_object_keys
json_quote json_serialize json_strip_nulls json_tree json_tuple json_type json_typeof json_valid jsonb jsonb_agg
jsonb_array_elements jsonb_array_elements_text jsonb_array_length jsonb_build_array jsonb_build_object
jsonb_each jsonb_each_text jsonb_exists jsonb_extract_path jsonb_extract_path_text jsonb_object_agg
jsonb_object_keys jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array
jsonb_path_query_first jsonb_pretty jsonb_strip_nulls jsonb_typeof julianday justify_days justify_hours
justify_interval kurtosis lag last last_day last_value lcase lcm lead least left len length levenshtein like ln
localtime localtimestamp locate log log10 log1p log2 lower lower_inc lower_inf lpad ltrim make_date
make_interval make_time make_timestamp make_timestamptz map map_entries map_from_arrays map_keys map_values
masklen max max_by md5 mean median microsecond min min_by min_scale minute mod mode monotonically_increasing_id
month monthname months_between multirange named_struct nanvl netmask network next_day now nth_value ntile nullif
num_nonnulls num_nulls numnode numrange nvl nvl2 octet_length overlay parse_ident percent_rank percentile
percentile_approx percentile_cont percentile_disc pg_typeof phraseto_tsquery pi plainto_tsquery pmod posexplode
position positive pow power printf quarter quote_ident quote_literal quote_nullable radians rand random
range_agg rank regexp_count regexp_extract regexp_extract_all regexp_instr regexp_like regexp_match
regexp_matches regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr regr_avgx regr_avgy
regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse right rint round
row row_count row_number row_to_json rpad rtrim scale schema_of_json second sequence set_masklen setweight sha
sha1 sha2 sha224 sha256 sha384 sha512 shiftleft shiftright sign signum similarity sin sind sinh size skewness
slice some sort_array soundex space split split_part sqlite_version sqrt stack starts_with startswith std stddev
stddev_pop stddev_samp str_to_map strftime string string_agg string_to_array string_to_table strip strpos struct
substr substring substring_index sum tan tand tanh time timediff timeofday timestamp timestamp_micros
timestamp_millis timestamp_seconds timestampadd timestampdiff timezone to_ascii to_base64 to_char to_date to_hex
to_json to_jsonb to_number to_timestamp to_tsquery to_tsvector to_unix_timestamp to_utc_timestamp total
transform translate trim trim_array trim_scale trunc try_divide try_element_at try_to_number ts_headline ts_rank
ts_rank_cd tsrange tstzrange tsvector_to_array typeof ucase unaccent unhex unicode unistr unix_date
unix_timestamp unixepoch unnest upper upper_inc upper_inf uuid var_pop var_samp variance version
websearch_to_tsquery weekday weekofyear width_bucket word_similarity year zeroifnull zip_with
"""

REFUSED_KINDS = frozenset(_REFUSED_KINDS.split())
"""Functions that `sqlglot` knows but that may reach beyond a statement's tables: the names of `sqlglot`'s classes."""

SAFE = frozenset(_SAFE.split())
"""The other functions that a statement may call."""
