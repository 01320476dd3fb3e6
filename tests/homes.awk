# SPDX-License-Identifier: ISC
#
# Holds the headers against the files that define what they declare: a function
# of X.c is declared in X.h beside it, or in the header named like its room: in
# io/io.h, or in the folder of kst-diff in diff.h. What a header declares with
# good reason for another file follows a comment that says it, up to the next
# empty line:
#
#	/* Of other files: either of gdb.c and rsp.c gives one. */
#
#	awk -f homes.awk common/*/*.[ch] cmd/*/*.[ch] cmd/*/*/*.[ch]
#
# A definition has its type on a line of its own, as clang-format leaves it.
function say(text) {
	print "lint: " text
	bad = 1
}

# dir/x.c: dir/x
function stem(path) {
	sub(/\.[ch]$/, "", path)
	return path
}

# What is linked together: the library, or a command.
function base(path) {
	match(path, /^(common|cmd\/[^\/]*)/)
	return substr(path, 1, RLENGTH)
}

function room_header(path,    dir, name) {
	dir = path
	sub(/\/[^\/]*$/, "", dir)
	name = dir
	sub(/.*\//, "", name)
	sub(/^kst-/, "", name)
	return dir "/" name ".h"
}

FNR == 1 {
	type = ""
	excused = 0
}

FILENAME ~ /\.h$/ && /\* Of other files: ./ {
	excused = 1
}

FILENAME ~ /\.h$/ && /^$/ {
	excused = 0
}

# Also one by the name of its type: `walk_stage stage_orc;`
FILENAME ~ /\.h$/ && /^[a-z][A-Za-z0-9_ *]*[ *][a-z_0-9]+(\(|;)/ &&
    !/^(typedef |static |struct [a-z_0-9]+;)/ {
	name = $0
	sub(/[(;].*/, "", name)
	sub(/.*[ *]/, "", name)
	declared[name] = declared[name] " " FILENAME
	reason[name, FILENAME] = excused
}

FILENAME ~ /\.c$/ {
	if (/^[a-z_0-9]+\(/ && type != "" && type !~ /^static/) {
		name = $0
		sub(/\(.*/, "", name)
		defined[name, FILENAME] = 1
	}
	type = /^[a-z][A-Za-z0-9_ *]*$/ ? $0 : ""
}

END {
	for (key in defined) {
		split(key, part, SUBSEP)
		name = part[1]
		count = split(declared[name], header, " ")
		for (i = 1; i <= count; i++) {
			if (base(header[i]) != base(part[2]) ||
			    header[i] == stem(part[2]) ".h" ||
			    header[i] == room_header(part[2]))
				continue
			if (reason[name, header[i]])
				others++
			else
				say(name " of " part[2] " is declared in " header[i])
		}
	}
	if (others > 40)
		say(others " functions are declared for other files; 40 may be")
	exit bad
}
