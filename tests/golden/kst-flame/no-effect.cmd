for o in '- --rules linux' 'x.txt --by cpu' 'x.txt --title t' 'x.folded --title t' \
	'x.json --cpus 0'; do
	kst-flame -r /nowhere -o $o 2>&1
	echo $?
done | grep -v try
