/* SPDX-License-Identifier: ISC */
/*
 * pprof's profile.proto: the numbers of the fields that kst reads or writes.
 *
 * A message of protobuf is a sequence of fields in any order. A field is a
 * number, field << 3 | wire type, and its value; a number has 7 bits in each
 * byte, the lowest first, and the highest bit set in all bytes but the last.
 * Fields of value 0 may be missing. Numbers that are repeated come one by one,
 * or many in the bytes of one field. Each text is a number of the string
 * table, whose first text is empty.
 */
#ifndef KST_PPROF_H
#define KST_PPROF_H

enum pprof_wire { WIRE_NUMBER, WIRE_64, WIRE_BYTES, WIRE_32 = 5 };

enum pprof_profile {
	PROFILE_SAMPLE_TYPE = 1, /* messages, repeated: a value type, */
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,	     /* the string table's texts, repeated */
	PROFILE_TIME = 9,    /* ns since 1970 */
	PROFILE_DURATION,    /* ns */
	PROFILE_PERIOD_TYPE, /* a value type */
	PROFILE_PERIOD,
	PROFILE_COMMENT,     /* texts, repeated */
	PROFILE_DEFAULT_TYPE /* a text: the type of a sample type */
};

enum pprof_value_type { TYPE_TYPE = 1, TYPE_UNIT };

/* Locations, the leaf first, and values, one for each sample type: repeated. */
enum pprof_sample { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };

enum pprof_label { LABEL_KEY = 1, LABEL_TEXT };

enum pprof_mapping {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS,
	MAPPING_HAS_FILES,
	MAPPING_HAS_LINES
};

/* Of several lines each function but the last is inlined into the next. */
enum pprof_location {
	LOCATION_ID = 1,
	LOCATION_MAPPING,
	LOCATION_ADDRESS,
	LOCATION_LINE
};

enum pprof_line { LINE_FUNCTION = 1, LINE_NUMBER };

enum pprof_function {
	FUNCTION_ID = 1,
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILE
};

#endif
