"""Common words in answers that name neither a row nor a measure, whatever the chat is about."""

from engine.numbers.words import forms, written

__all__ = ["ALWAYS_CAPITAL", "ENGLISH", "FOREIGN", "GENERAL", "GENERIC_COLUMNS", "NO_NOUN"]

ALWAYS_CAPITAL = forms(
    "total overall average mean median altogether everything this that these those there then here they what "
    "which nothing none both each every other others rest result value number share combined together first "
    "second third last next today yesterday january february march april may june july august september "
    "october november december monday tuesday wednesday thursday friday saturday sunday spring summer autumn "
    "winter question table file chart query"
)
"""Words that begin with a capital letter, always or at the start of a sentence, but do not name a row."""

GENERAL = forms(
    "people person individual unit item row record entry entries value case time thing point piece line case total"
    " sum amount number count level figure rate ratio share percentage proportion average mean median minimum maximum"
    " score index size overall result difference change increase decrease rise drop fall decline growth gain loss gap"
    " range spread margin lead factor combined cumulative average typical year month week day hour quarter period date"
    " different distinct unique separate individual additional extra further new more other known single actual real"
    " current present latest overall full whole entire big large small high low great good strong average net gross"
    " inhabitant resident participant respondent respondents subject member observation measurement sample group"
    " category categories kind type class dollar euro pound currency money million thousand billion estimate"
    " percentile quartile deviation standard error missing null gap empty blank duplicate copy place position rank"
    " us half top bottom best worst place side part portion bit lot pair set pack round step stage dozen double"
)
"""Nouns and adjectives that can describe any measure."""

NO_NOUN = written(
    "and or but with without from in on at by for to of than as over under above below per across within among"
    " between against versus vs compared through via into onto near past toward towards like is are was were be"
    " been being has have had do does did will would can could may might should must not no only just also even"
    " still already now then there here up down out off away back ahead behind apart together respectively each"
    " alone both either neither all any some most least less fewer while whereas though although because since"
    " until before after during when where which who that this these those it its they their them he she his"
    " her we our you your i me my so if rather instead about around roughly nearly almost exactly approximately"
    " well far much very too quite worth spent went came gives gave gave led lead made make makes carries carry"
    " handled handles goes go come comes arrived left became become becomes falls fell rose grew saw see sees"
    " shows shown said says say took takes take gets get got ended ends started starts remained remains stayed"
    " stays happened occurred counted recorded reported found needed required minus plus times earned sold"
    " bought used following followed ago later earlier sooner more"
)
"""Words that end the name of the counted things: in "412 new orders in May", the name ends before "in"."""

GENERIC_COLUMNS = forms(
    "count n total value sum amount number num avg mean median min max result metric measure x y z"
)
"""Words in column names that do not say what is counted; the question says it."""

ENGLISH = written("the of and in is was were with by for from to at an are has had its on that this than")
FOREIGN = written(
    "der die das und ist war im mit von den dem des ein eine auf für bei zu nur le la les des du et est en au"
    " aux un une dans par sur el los las y es del con por para il lo gli e di che della nel per het een van op"
    " met voor o os da do em uma não och det som av på og er med til"
)
"""Short words as they are written, in English and in other languages."""
