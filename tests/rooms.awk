# SPDX-License-Identifier: ISC
#
# Holds the includes of the sources against the drawing of rooms, which is in
# the first file (docs/design.md): a line a room, from the highest to the lowest.
function die(text) {
	print "lint: " FILENAME ":" FNR ": " text
	bad = 1
}

function room_of(path) {
	sub(/\/[^\/]*$/, "", path)
	return path
}

# How low a room stands; commands stand above all.
function depth(room) {
	if (room in line)
		return line[room]
	if (room ~ /^cmd\/kst-[a-z]*$/)
		return line["cmd/kst-*"]
	die("room " room " is not in the drawing of docs/design.md")
	return line[room] = 999
}

NR == FNR {
	if ($0 ~ /^    (cmd|common)\// && !($1 in line))
		line[$1] = FNR
	next
}

FNR == 1 {
	room = room_of(FILENAME)
	split(FILENAME, part, "/")
	command = part[1] "/" part[2]
}

# "Private to the room", or to another room, too: "Private to common/unwind".
/^(\/| )\* Private to / && FNR < 4 {
	sub(/[^a-z]*$/, "", $4)
	private[FILENAME] = $4
}

/^#include "/ {
	split($0, quoted, "\"")
	file = quoted[2]
	if (file !~ /\//)
		path = room "/" file
	else if ((getline junk < ("common/" file)) >= 0)
		path = "common/" file
	else
		path = command "/" file
	close("common/" file)
	if (room_of(path) == room)
		next
	if ((getline junk < path) < 0 && file !~ /\//)
		next # generated
	close(path)
	other = room_of(path)
	if (depth(other) <= depth(room))
		die("room " room " includes " path " of a room that is not below it")
	from[path] = from[path] " " FILENAME
}

END {
	for (path in private) {
		count = split(from[path], user, " ")
		for (i = 1; i <= count; i++)
			if (room_of(user[i]) != private[path]) {
				print "lint: " user[i] ": includes " path \
				    ", which is private to its room"
				bad = 1
			}
	}
	exit bad
}
