# SPDX-License-Identifier: ISC

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# frames FILE: `depth name count` of each frame in the order of drawing, from
# the tooltips of a picture whose frames are all elements.
frames() {
	perl -ne 'next unless /<g><title>(.*) \(([\d,.]+) samples?[^<]*<.title><rect[^>]* y="([\d.]+)"/;
		my ($n, $c, $y) = ($1, $2, $3); $c =~ tr/,//d; $n =~ s/&lt;/</;
		$top = $y unless defined $top;
		print int(($top - $y) / 18 + 0.5), " $n $c\n"' "$1"
}

# model FILE: the same from the folded text, the slow and plain way.
model() {
	perl -ne 'chomp; my ($s, $c) = /^(.*) (\d+)$/; $t{""} += $c;
		my $p = ""; for (split /;/, $s) { $p .= ";$_"; $t{$p} += $c }
		END { sub walk { my ($p, $d, $n) = @_; print "$d $n $t{$p}\n";
			my $q = quotemeta $p;
			walk("$p;$_", $d + 1, $_) for sort map { /^$q;([^;]*)$/ ? $1 : () } keys %t }
		walk("", 0, "all") }' "$1"
}

# folded SEED N: random stacks of few short names that begin each other, with
# bytes below and above the semicolon.
folded() {
	perl -e 'srand shift; my @n = ("a", "a:", "a!", "aa", "ab", "a!b", "b", "a<", "b c");
		for (1 .. shift) { my @s = map { $n[rand @n] } 0 .. rand 5;
			printf "%s %d\n", join(";", @s), 1 + rand 9 }' "$1" "$2"
}

@test "trace text is drawn as if kst-fold had read it first" {
	zcat "$BATS_TEST_DIRNAME/../share/demo/capture.txt.gz" >capture.txt
	kst-fold capture.txt >capture.folded
	for o in --all --reverse '--base work_b --no-script' '--flamechart --factor 2'; do
		# shellcheck disable=SC2086
		kst-svg $o capture.txt >a.svg
		# shellcheck disable=SC2086
		kst-svg $o capture.folded >b.svg
		cmp a.svg b.svg
		# shellcheck disable=SC2086
		kst-svg $o <capture.txt | cmp - a.svg
	done
	echo 'main;f 3' >more.folded
	kst-svg --all capture.txt more.folded | grep -q '<title>main (3 samples'
	run kst-svg capture.txt none.txt
	[ "$status" -eq 1 ]
}

@test "every frame and count is right, sorted or not" {
	for seed in 1 2 3 4 5 6; do
		folded $seed 60 >in
		LC_ALL=C sort in >sorted
		model in >want
		kst-svg --all --no-script in >a.svg
		kst-svg --all --no-script sorted >b.svg
		cmp a.svg b.svg
		frames a.svg | diff want -
	done
}

@test "a pipe gives what a file gives" {
	folded 7 500 >in
	kst-svg in >a.svg
	cat in | kst-svg >b.svg
	kst-svg <in >c.svg
	kst-svg - <in >d.svg
	for f in b c d; do cmp a.svg $f.svg; done
}

@test "a long pipe that turns out unsorted is read again" {
	perl -e 'for $i (1 .. 60000) { printf "m;%06d;%s 1\n", $i, "x" x 400 }
		print "a;b 60000\n"' >in
	kst-svg in >a.svg
	cat in | TMPDIR=/nonexistent kst-svg | cmp - a.svg
	grep -q '<title>b (60,000 samples' a.svg
}

@test "of a pipe only what may be read again is kept" {
	perl -e 'for $i (1 .. 60000) { printf "m;%06d;%s 1 2\n", 60000 - $i, "x" x 400 }' >in
	perl -e 'print "m;", "x" x 400, ";y 1 2\n" for 1 .. 60000' >equal
	while read -r in options; do
		# shellcheck disable=SC2086
		cat $in | /usr/bin/time -f %M -o mem kst-svg $options >a.svg
		grep -q '^<svg' a.svg
		echo "$options: $(cat mem)"
		[ "$(cat mem)" -lt 20480 ] || [ -n "${SANITIZED-}" ]
	done <<-END
		in --plain --minwidth 1
		in --plain --minwidth 1 --reverse
		in --differential --minwidth 1 --flamechart
		equal
	END
}

@test "operands are merged, one that is missing is said" {
	folded 8 50 | LC_ALL=C sort >a
	folded 9 50 | LC_ALL=C sort >b
	kst-svg a b >ab.svg
	cat a b | kst-svg >cat.svg
	cmp ab.svg cat.svg
	rc=0
	kst-svg a missing b >again.svg 2>err || rc=$?
	[ $rc = 1 ]
	grep -q '^kst-svg: missing: ' err
	cmp ab.svg again.svg
}

@test "a late line without a second count makes all of them plain" {
	{
		for i in 1 2 3 4 5 6 7 8 9; do echo "a;thread $i $i"; done
		echo "b 5"
	} >in
	kst-svg --no-script in >out.svg
	grep -q '<title>thread 9 (9 samples, 18.00%)' out.svg
	cat in | kst-svg --no-script | cmp - out.svg
	rc=0
	kst-svg --differential in >out.svg 2>err || rc=$?
	[ $rc = 1 ]
	grep -q '^kst-svg: in:10: one count' err
}

@test "a frame held back joins itself when it comes again" {
	printf 'F 1\nF! 1\nF!;x 1\nF:;y 1\nF;z 1\nFz 1\nG 1\n' >in
	model in >want
	kst-svg --all --no-script in >out.svg
	frames out.svg | diff want -
}

@test "long lines, deep stacks and odd bytes" {
	head -c 1048576 /dev/zero | tr '\0' 'n' >line
	printf ' 3\n' >>line
	kst-svg line >out.svg
	xmllint --noout out.svg
	perl -e 'print join(";", ("f") x 20000), " 1\nf 1\n"' >deep
	rc=0
	kst-svg deep >out.svg 2>err || rc=$?
	[ $rc = 1 ]
	grep -q '^kst-svg: deep:1: stack too deep, cut' err
	xmllint --noout out.svg
	head -c 1200000 /dev/zero | tr '\0' 'n' >line
	printf ' 3\n' >>line
	rc=0
	kst-svg line >out.svg 2>err || rc=$?
	[ $rc = 1 ]
	grep -q '^kst-svg: line:1: name too long, cut' err
	xmllint --noout out.svg
	head -c 30000 /dev/urandom >noise
	kst-svg noise >out.svg 2>err || [ $? = 1 ]
	xmllint --noout out.svg
}

@test "of one very deep stack the frames near the root have names" {
	perl -e 'print join(";", map { "f$_" } 1 .. 5000), " 3\nx 1\n"' >in
	kst-svg --no-script in >out.svg
	[ "$(grep -c '<g><title>' out.svg)" = 1000 ]
	grep -q '<text [^>]*>f900</text>' out.svg
	! grep -q '<title>f1200 ' out.svg
}

@test "a chart keeps where frames begin, to the last decimal" {
	perl -e 'for $i (1 .. 20) { print "x;p$i 0.5\nx;w 1000\n" }
		print "x;q 0.5\n" x 2' >in
	kst-svg --flamechart --minwidth 3 in >out.svg
	grep -q ' decimals="1" ' out.svg
}

@test "rules for colours come from a pipe, too" {
	printf 'a 1\n' >in
	kst-svg --no-script --palette <(echo 'a->rgb(1,2,3)') in |
		grep -q '{color:#010203}'
}

@test "text that fits no frame is smaller, or left out" {
	printf 'abc 1\n' >in
	kst-svg --no-script --font-size 20 in | grep -q 'height="29"/><text'
	kst-svg --no-script --font-size 20 --frame-height 13 in |
		grep -q 'font-size:10px'
	! kst-svg --no-script --frame-height 5 in | grep -q '<text.*abc<'
}

@test "long titles are cut, and whole in a tooltip" {
	title=$(printf 'title %.0s' $(seq 99))
	printf 'a 1\n' >in
	kst-svg --no-script --title "$title" --notes "$title" in >out.svg
	[ "$(grep -c "<title>$title</title>.*…</text>" out.svg)" = 2 ]
}

@test "fonts cannot end the style sheet" {
	for font in '' 'a}b{' 'a;b' '</style>' 'a/*'; do
		rc=0
		kst-svg --font "$font" /dev/null 2>err || rc=$?
		[ $rc = 2 ]
		grep -q 'is not a list of fonts' err
	done
	echo 'a 1' | kst-svg --font "'Fira Code', monospace" >/dev/null
}

@test "a wrong option leaves the output file as it was" {
	echo keep >out
	run kst-svg -o out --width 1 /dev/null
	[ "$status" = 2 ]
	[ "$(cat out)" = keep ]
}

@test "every palette that --colors takes is there" {
	for c in $(kst-svg --help=rows | awk -F'\t' '$2 == "colors" { print $4 }'); do
		echo 'a;b 1' | kst-svg --no-script --colors "$c" >out.svg
		grep -q '<svg' out.svg
	done
	[ "$c" = annotated ]
}

# The legend, a text a line.
legend() {
	sed -n 's/.*fill="#5b6470" font-size="12" x="16" y="10">\([^<]*\)<.*/\1/p'
}

# source_kernel GCC-OPTION ...: a kernel of five files in two folders, as `elf`
source_kernel() {
	mkdir -p mm fs
	echo 'static __attribute__((noinline)) void slab(void) {asm("");} void mm_a(void) {slab();}
		static __attribute__((noinline)) void slab_end(void) {asm("");} void mm_z(void) {slab_end();}' >mm/slab.c
	echo 'void fs_a(void) {} void acquire(void) {}' >fs/inode.c
	echo 'static __attribute__((noinline)) void far_away(void) {asm("");} void fs_far(void) {far_away();}' >fs/log.c
	echo 'static inline __attribute__((always_inline)) void in_head(void) {asm volatile("nop");}' >fs/head.h
	echo '#include "fs/head.h"
		void _start(void) {in_head();}' >main.c
	gcc -I. -O1 -nostdlib -static "$@" -o elf main.c mm/slab.c fs/inode.c fs/log.c
}

@test "a kernel's source files give its functions colours: folders, then files" {
	source_kernel -g
	printf 'CPU#0;running;_start;%s 5\n' mm_a mm_a\;slab.part.0 fs_a fs_a\;acquire \
		fs_far nosuch in_head >in
	kst-fold in | kst-svg --no-script -e elf >out.svg
	[ "$(legend <out.svg | sort | tr '\n' ' ')" = 'fs locks main.c mm other ' ]
	colour() { grep -A1 "<title>$1 " out.svg | grep -o 'class="c[0-9]*"' | head -n 1; }
	kind() { c=$(colour "$1") && c=${c//[!0-9]/} && echo $((c / 4)); }
	[ "$(kind mm_a)" = "$(kind slab.part.0)" ]
	[ "$(kind fs_a)" = "$(kind fs_far)" ]
	[ "$(kind fs_a)" = "$(kind in_head)" ]
	[ "$(kind mm_a)" != "$(kind fs_a)" ]
	[ "$(kind nosuch)" != "$(kind fs_a)" ]
	# all of one folder: its files
	printf 'CPU#0;%s 5\n' mm_a fs_a\;fs_a fs_far\;fs_far >in
	[ "$(kst-svg --no-script -e elf in | legend | sort | tr '\n' ' ')" = \
		'fs/inode.c fs/log.c mm other ' ]
	# What idle CPUs called is not wide, and needs no class.
	printf 'CPU#0;%s 5\n' running\;mm_a halted\;fs_a\;fs_far >in
	[ "$(kst-svg --no-script -e elf in | legend | grep -c fs)" = 0 ]
	# The names of Linux, and a palette that is asked for, come first.
	printf 'start_kernel;mm_a;kmalloc 5\n' >in
	kst-svg --no-script -e elf in | cmp - <(kst-svg --no-script in)
	kst-svg --no-script -c hot -e elf in | cmp - <(kst-svg --no-script -c hot in)
	[ "$(kst-svg --no-script -c source -e elf in | legend | tr '\n' ' ')" = \
		'other slab.c ' ]
}

@test "without DWARF, FILE symbols tell the files of static functions and their neighbours" {
	source_kernel
	printf 'CPU#0;_start;%s 5\n' mm_a\;slab mm_z\;slab_end fs_far\;far_away fs_a >in
	kst-svg --no-script -e elf in >out.svg
	[ "$(legend <out.svg | sort | tr '\n' ' ')" = 'log.c other slab.c ' ]
	strip elf
	kst-svg --no-script -e elf in | cmp - <(kst-svg --no-script in)
}

@test "a kernel's file that is none costs the colours, and status 1" {
	printf 'CPU#0;a;b 5\n' >in
	kst-svg --no-script in >plain.svg
	for f in in nosuch .; do
		run -1 kst-svg --no-script -e "$f" -o out.svg in
		cmp out.svg plain.svg
		[[ $output = "kst-sym: $f: "* ]]
	done
	source_kernel -g
	# every beginning of it, and any byte that is another
	for n in 64 900 4000 9000; do
		head -c $n elf >cut
		kst-svg --no-script -e cut in >out.svg 2>err || [ $? = 1 ]
		grep -q '</svg>' out.svg
	done
	perl -e 'local $/; srand 5; my $elf = <>;
		for my $i (1 .. 60) {
			my $bad = $elf;
			substr($bad, rand length $bad, 1) = chr rand 256 for 1 .. 40;
			open my $f, ">", "bad$i"; print $f $bad;
		}' elf
	for f in bad*; do
		kst-svg --no-script -e "$f" in >out.svg 2>err || [ $? = 1 ]
		grep -q '</svg>' out.svg
	done
}

@test "locks that spin are red in every palette" {
	printf 'CPU#0;work;%s 5\n' _raw_spin_lock other_work >in
	for c in $(kst-svg --help=rows | awk -F'\t' '$2 == "colors" { print $4 }'); do
		kst-svg --no-script -c "$c" in | legend | grep -q '^locks'
		kst-svg --no-script -c "$c" in |
			perl -ne '/<title>_raw_spin_lock .*? fill="#(..)(..)(..)"/ or next;
				my ($r, $g, $b) = map { hex } $1, $2, $3;
				print "red\n" if $r > 1.4 * $g && $r > 1.4 * $b' | grep -q red
	done
}

@test "the kernel palette knows names of Linux, OpenBSD and Asterinas" {
	local class names name bad=0
	declare -A said=([network]=network [file]="file systems" [memory]=memory
		[scheduler]=scheduler [lock]=locks [interrupt]="interrupts, timers"
		[driver]=drivers [syscall]="system calls" [process]=processes
		[hypervisor]=hypervisor [idle]=idle)
	while read -r class names; do
		tr ' ' '\n' <<<"$names" | sed 's/$/ 1/' >in
		[ "$(kst-svg -c kernel --no-script --all in | legend)" = "${said[$class]}" ] &&
			continue
		for name in $names; do
			[ "$(kst-svg -c kernel --no-script <<<"$name 1" | legend)" = \
				"${said[$class]}" ] || echo "$name is not $class"
		done
		bad=1
	done <"$BATS_TEST_DIRNAME/fixtures/kernel-names"
	return $bad
}

@test "annotations are colours, unless a palette without them is asked for" {
	echo 'a_[k];b_[i] 3' >in
	kst-svg --no-script in >a.svg
	kst-svg --no-script -c annotated in | cmp - a.svg
	grep -q '<title>b_\[i\] (3.*>b</text>' a.svg
	grep -q '>inlined</text>' a.svg
	kst-svg --no-script -c hot in | grep -q '>b_\[i\]</text>'
}

@test "the names choose the palette, idle functions are grey" {
	is() { kst-svg --no-script in | cmp - <(kst-svg --no-script -c "$1" in); }
	printf 'CPU#0;running;main 3\nCPU#0;halted;x 1\n' >in
	is calm
	printf 'CPU#0;running;kmalloc 3\nCPU#0;halted;schedule 1\n' >in
	is kernel
	printf 'start_kernel;rest_init 3\n' >in
	is kernel
	for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "a${i}_[k] 1"; done >in
	is kernel
	# addresses tell nothing
	printf 'CPU#0;0x10;0x18;0x20;0x28;0x30;0x38;0x40;usertrap;sys_exec 3\n' >in
	is kernel
	printf 'a_[k];b 3\nmain;c 1\n' >in
	is annotated
	printf 'app::main;core::fmt::write 3\n' >in
	is rust
	printf 'main;std::string::size;cpu_idle 3\n' >in
	is hot
	for c in hot blue grey kernel; do
		kst-svg --no-script -c $c in |
			grep '<title>cpu_idle' | grep -q 'fill="#[abc]'
		kst-svg --no-script -c $c in | grep -q '>idle</text>'
	done
}

@test "names match whatever of a pattern is looked for first" {
	perl -e 'srand 7; my @p = (qw(idle IDLE halt safe_ x86_ hlt Wfi mwait _ : r),
			qw(ma s S k K a e), "\xc5\xbf", "\xe2\x84\xaa");
		print join("", map { $p[rand @p] } 0 .. rand 4), " 1\n" for 1 .. 600' >in
	for pattern in '(?i)(?<![a-z])idle(?![a-z]*r)' 'halt|wf?i|ma' '(?i)sa|ek' \
		'(?i)(?:safe|cpu)_?halt|(?<![a-z])hlt(?![a-z])|mwait:' 'l?t_|x86_r' \
		'(?i)idlehalthltmwait|halthaltmwaitidle|wfimwaitmwaitidle|e:r|re|haltidle'; do
		# a group hides from literals_of() what it needs
		printf '[a] #123456 first\nmatch %s\n[b] #654321 second\nmatch .\n' \
			"$pattern" >bare
		sed 's/^match \(.*\)/match (?:\1)/' bare >hidden
		kst-svg --all --no-script --palette bare in >out.svg
		kst-svg --all --no-script --palette hidden in | cmp - out.svg
		grep -q '>first<' out.svg
		grep -q '>second<' out.svg
	done
}

@test "a palette file has hues, of one class or by module" {
	printf 'net_rx 1\nnet_tx 1\nfs::read 1\nidle_x 1\nodd 5\n' >in
	printf '[odd] hsl( 120, 50%%, 60%%) odd ones\nname odd\n[m] by module hsl(200-230,70%%,65%%)\n' >mine
	kst-svg --no-script --palette mine -c hot in >out.svg
	grep '<title>odd ' out.svg | grep -q 'fill="#66cc66"'
	grep -q '>odd ones<' out.svg
	[ "$(grep -c '<title>net_.x .*fill="#86c8ea"' out.svg)" = 2 ]
	grep -q '<title>fs::read .*fill="#76b1e7"' out.svg
	# the first of a class that is by module or a colour, by turns
	sed -n 3p mine >>mine
	printf '[m] by crate\n[m] #123456\n' >>mine
	sed -n 3p mine >>mine
	kst-svg --no-script --palette mine -c hot in | grep '<title>' >b
	grep '<title>' out.svg | diff <(sed 's/class="c[0-9]*"//' b) \
		<(grep '<title>' out.svg | sed 's/class="c[0-9]*"//')
	echo '[m] #123456' >>mine
	kst-svg --no-script --palette mine -c hot in >out.svg
	grep '<title>odd ' out.svg | grep -q 'fill="#66cc66"'
	for wrong in 'hsl(120,50,60)' 'hsl(400,5%,6%)' 'hsl(1,101%,6%)' 'hsl(nan,1%,6%)' \
		'by module' 'by module #123456' 'by module hsl(1-2-3,1%,1%)'; do
		echo "[a] $wrong" >bad
		run kst-svg --palette bad in
		[ "$status" = 2 ]
		[[ "$output" = *'bad:1: '*' such as '* ]]
	done
}

@test "inferno's spellings" {
	printf 'b 1\na;x 99\n' >in
	kst-svg --flame-chart in | cmp - <(kst-svg --flamechart in)
	kst-svg --min-width 20 in | cmp - <(kst-svg --minwidth 20 in)
	kst-svg --no-sort in | cmp - <(kst-svg in)
	kst-svg --search-color '#102030' in |
		grep -q '^.f .match{color:#102030}.f .match+text{fill:#fff}$'
	kst-svg --search-color '#e600e6' in | grep -q 'fill:#111}$'
	run kst-svg --search-color pink in
	[ "$status" = 2 ]
	[ "$(kst-svg --flame-chart --reverse in 2>&1 >/dev/null | wc -l)" -ge 1 ]
}

@test "shades of a class: neighbours do not merge, a user's colour stays" {
	for i in 1 2 3 4 5 6 7 8; do echo "tcp_$i 1"; done >in
	colours() {
		sed -n 's/.*<title>tcp_.* fill="\(#[0-9a-f]*\)" x=.*/\1/p' | sort -u | wc -l
	}
	[ "$(kst-svg -c kernel --no-script in | colours)" -ge 3 ]
	printf '[mine] #ffd166 mine\nmatch tcp_\n' >my.palette
	[ "$(kst-svg -c kernel --palette my.palette --no-script in | colours)" = 1 ]
}

@test "the legend names crates, those of one hue together" {
	kst-svg -c rust --no-script <<-'END' >out.svg
		ostd::mm::f 4
		<&T as spin::X>::f 3
		aster_nix::fs::g 9
		core::g 2
		c_function 1
	END
	grep '<g transform' out.svg | sed 's/.*>\([^<]*\)<.text.*/\1/' >legend
	printf '%s\n' 'core, alloc, std' 'no Rust path' aster_nix ostd spin |
		diff - legend
	seq 400 | sed 's/.*/c&::f 1/' | kst-svg -c rust --no-script >out.svg
	[ "$(grep '<g transform' out.svg | tr ',' '\n' | grep -c 'c[0-9]')" = 16 ]
}

@test "options of flamegraph.pl and inferno mean what they mean there" {
	printf 'a;b;c 3\nb;d 1\n' >in
	kst-svg --no-script --frame-height 24 --font serif --font-size 14 in >want
	kst-svg --no-script --height 24 --fonttype serif --fontsize 14 \
		--fontwidth 0.59 --nameattr none --hash --cp --encoding utf-8 in | cmp - want
	printf 'a->rgb(1,2,3)\n' >palette.map
	kst-svg --no-script --cp in | grep -q '<title>a .*fill="#010203"'
	kst-svg --no-script --factor 0.5 in | grep -q '<title>a (1.5 samples'
	kst-svg --no-script --factor 1000000000 <<<'a 18446744073709551615' 2>&1 >/dev/null |
		grep -q 'more than 64 bits'
	kst-svg --no-script --bgcolors yellow in |
		grep -q '<rect class="page" fill="#eeeeb0"'
	run kst-svg --bgcolors '#333' in
	[ "$status" = 2 ]
	[[ "$output" = *"too dark"* ]]
	run kst-svg --encoding latin1 in
	[ "$status" = 2 ]
	# stacks without one of the names are left out
	printf 'other 5\nb;a;b;d 1\n' | cat in - >more
	kst-svg --no-script --all --base b --base x more >out.svg
	frames out.svg | diff - <(printf '0 all 5\n1 b 5\n2 c 3\n2 d 2\n')
	! kst-svg --no-script --base nosuch in >out.svg 2>err || false
	grep -q 'no stack' err
	# more is blue then, and less is orange
	fill() {
		echo 'a 100 900' | kst-svg --no-script --no-normalize "$@" |
			sed -n 's/.*<title>a .* fill="\(#[0-9a-f]*\)" x=.*/\1/p'
	}
	echo 'a 100 900' | kst-svg --no-script --negate | grep -q '>+5% of all<'
	[ "$(fill | cut -c2-3)" \> "$(fill | cut -c6-7)" ]
	[ "$(fill --negate | cut -c2-3)" \< "$(fill --negate | cut -c6-7)" ]
}

@test "palettes of languages and wakeups" {
	fill() { # PALETTE NAME
		echo "$2 1" | kst-svg -c "$1" --no-script |
			sed -n 's/.*x="16" y="10">\([^<]*\)<.*/\1/p'
	}
	[ "$(fill java 'java/util/HashMap.get')" = Java ]
	[ "$(fill java 'Interpreter_[j]')" = Java ]
	[ "$(fill java 'JavaThread::run')" = C++ ]
	[ "$(fill js '/app/x.js:run_[j]')" = JavaScript ]
	[ "$(fill js 'LazyCompile:~a')" = 'built in' ]
	[ "$(fill perl 'Perl_runops')" = Perl ]
	[ "$(fill perl 'x_[k]')" = kernel ]
	[ "$(fill python 'f (/usr/lib/python3.11/json/a.py:3)')" = 'standard library' ]
	[ "$(fill python 'f (site-packages/a/b.py:3)')" = packages ]
	[ "$(fill python 'f (my.py:3)')" = 'own code' ]
	[ "$(fill chain 'x_[w]')" = wakers ]
	[ "$(fill chain x)" = blocked ]
}

@test "empty names are question marks" {
	printf ';;x 1\n 7\na;;b 2\n' >in
	kst-svg --no-script in >out.svg
	[ "$(grep -c '<title>?? (' out.svg)" = 3 ]
	grep -q '<title>all (10 samples' out.svg
}

@test "counts beyond 64 bits are said" {
	printf 'a 18446744073709551615\nb 1\n' >in
	rc=0
	kst-svg --no-script in >out.svg 2>err || rc=$?
	[ $rc = 1 ]
	grep -q 'more than 64 bits' err
	grep -q '<title>a (18,446,744,073,709,551,615 samples' out.svg
}

@test "up to a million frames are kept, of more those that are seen" {
	perl -e 'for $i (1 .. 495000) { printf "m;f%d;g%d %d\n", $i % 5000, $i, 1 + $i * 7 % 1000 }' >in
	LC_ALL=C sort in >sorted
	kst-svg sorted >a.svg
	[ "$(grep -cE '^(<k:names>)?g[0-9]+$' a.svg)" = 495000 ]
	! grep -q '% of all is in frames too narrow' a.svg || false
	perl -e 'for $i (1 .. 1020000) { printf "m;f%d;g%d %d\n", $i % 500, $i, $i < 500 ? 99999 : 1 + $i * 7 % 1000 }' >in
	LC_ALL=C sort in >sorted
	kst-svg --no-script in >a.svg
	kst-svg --no-script sorted >b.svg
	cmp a.svg b.svg
	kst-svg sorted >a.svg
	[ "$(grep -cE '^(<k:names>)?g[0-9]+$' a.svg)" = 499 ]
	grep -q '% of all is in frames too narrow' a.svg
}

@test "stacks of very many names are sorted, too" {
	perl -e 'srand 1; for (1 .. 20000) { my $i = int rand 9000;
		printf "a;b;f%d%s;g!%d;h%d %d\n", $i, $i % 7 ? "" : "!", rand 3, rand 9, 1 + $i % 5;
		print "a;b;f$i 2\n" if $i % 11 == 0 }' >in
	LC_ALL=C sort in >sorted
	kst-svg --no-script in >a.svg
	kst-svg --no-script sorted | cmp a.svg -
	kst-svg --no-script --reverse in >a.svg
	perl -ne '/(.*) (.*)/; print join(";", reverse split /;/, $1), " $2\n"' in |
		LC_ALL=C sort | kst-svg --no-script | cmp a.svg -
	perl -e 'print "m;f$_;g$_;h$_ 1\n" for map { $_ * 7919 % 400009 } 1 .. 400000' >in
	/usr/bin/time -f %M -o mem kst-svg in >out.svg
	cat mem
	[ "$(cat mem)" -lt 131072 ] || [ -n "${SANITIZED-}" ]
}

@test "Rust's legacy symbols are read as C++ demanglers leave them" {
	h=::h0123456789abcdef
	{
		echo "mine::run$h;_\$LT\$alloc..vec..Vec\$LT\$T\$C\$A\$GT\$\$u20\$as\$u20\$core..clone..Clone\$GT\$::clone$h 3"
		echo "mine::run::hfedcba9876543210;_\$LT\$app..Task\$u20\$as\$u20\$core..iter..Extend\$GT\$::extend$h 2"
		echo "mine::run$h;_\$LT\$\$u5b\$u8\$u3b\$\$u20\$4\$u5d\$\$u20\$as\$u20\$x..Y\$GT\$::z$h 1"
		echo 'a::hot;a$b..c 1'
	} >in
	kst-svg -c rust --all --no-script in >out.svg
	frames out.svg | diff - <(printf '%s\n' '0 all 7' '1 a::hot 1' '2 a$b..c 1' \
		'1 mine::run 6' '2 <[u8; 4] as x::Y&gt;::z 1' \
		'2 <alloc::vec::Vec&lt;T,A&gt; as core::clone::Clone&gt;::clone 3' \
		'2 <app::Task as core::iter::Extend&gt;::extend 2')
	# the legend has the crates, and what the standard library adds is its own
	sed -n '/id="legend"/,/^<\/g>/p' out.svg >legend
	grep -q '>mine<\|mine, \|, mine' legend
	grep -q 'app' legend
	! grep -q 'clone\|extend' legend
}

@test "memory depends on what is visible" {
	peak() {
		perl -e 'for $i (1 .. shift) { printf "main;%07d;%s 1\n", $i, "x" x 40 }' "$1" >in
		/usr/bin/time -f %M -o mem kst-svg in >out.svg
		cat mem
	}
	few=$(peak 600000)
	many=$(peak 1800000)
	echo "$few $many"
	[ "$many" -lt $((few * 5 / 4)) ] || [ -n "${SANITIZED-}" ]
	[ "$(wc -c <out.svg)" -lt 150000 ]
}

@test "flamegraph.pl's map of colours, of any length" {
	{
		echo '[unknown]->rgb(1,2,3)'
		for i in $(seq 500); do echo "f$i->rgb($((i / 3)),2,$((i % 250)))"; done
	} >map
	printf '[unknown] 3\nf499 2\n' | kst-svg --no-script --palette map >out.svg
	grep -q '<title>\[unknown\] .*fill="#010203"' out.svg
	grep -q '<title>f499 .*fill="#a602f9"' out.svg
}

@test "a semicolon inside of brackets belongs to the name" {
	printf 'a;Vec<[u8; 4]>::f;b 3\na;b[; 2\na;Vec<[u8; 4]>::f;c 2\n' >in
	for o in --no-script '--no-script --reverse' '--no-script --flamechart'; do
		kst-svg $o in >out.svg
		grep -q '<title>Vec&lt;\[u8; 4\]&gt;::f (' out.svg
		! grep -q '<title>Vec&lt;\[u8 ' out.svg || false
		grep -q '<title>b\[ (2 samples' out.svg
	done
}

@test "input without a stack is said, and drawn" {
	for text in '' '# nothing\n' 'no count\n'; do
		rc=0
		printf "$text" | kst-svg >out.svg 2>err || rc=$?
		[ $rc = 1 ]
		grep -q '^kst-svg: .*no stacks \(in\|found\)' err
		xmllint --noout out.svg
	done
	printf 'a;b 6.\n' | kst-svg --no-script | grep -q '<title>b (6 samples'
}

@test "the trailer tells the unit and the origin" {
	printf 'a;b 1250000\na;c 750000\n#kst:unit=ns,seconds=57,stopped=1.026\n' >in
	kst-svg in >out.svg
	grep -q '<title>b (1.25 ms, 62.50%)' out.svg
	grep -q ' countname="ns" exact-unit="1"' out.svg
	grep -q '>guest stopped 1.8% of 57 s<' out.svg
	{
		printf 'a;b 5630\n'
		echo '#kst:unit=samples,samples=5630,rate=99,cpus=4,cut=11'
	} | kst-svg >out.svg
	grep -q '>5,630 samples at up to 99 Hz on 4 CPUs, 0.2% of stacks cut<' out.svg
	{
		printf 'a;b 570\n'
		echo '#kst:unit=samples,captures=570,samples=570,rate=99,seconds=10,max-stop=3'
	} | kst-svg >out.svg
	grep -q '>570 samples at 57 Hz of 99 to stay below 3%<' out.svg
	# what was taken, and if that is less what was asked for
	{
		printf 'a;b 1\n'
		echo '#kst:samples=1,captures=4500,rate=5000,cpus=1,seconds=100'
	} | kst-svg >out.svg
	grep -q '>1 sample at 45 Hz of 5000 on 1 CPU<' out.svg
	# three digits of a time are no power of ten
	for t in '0.9997 1 s' '0.9994 999 ms' '0.0009996 1 ms' '1234.4 1,234 s'; do
		printf 'a;b 1\n#kst:samples=1,seconds=%s,cpus=1\n' "${t%% *}" |
			kst-svg --subject x --no-script |
			grep -q "<title>x, 1 CPU, ${t#* }, 1 sample<"
	done
	printf 'a 110180000000000\n#kst:unit=bytes\n' | kst-svg --no-script |
		grep -q '<title>a (100.2 TiB, 100.00%)'
	printf 'a 12345\n#kst:unit=s\n' | kst-svg --no-script |
		grep -q '<title>a (12,345 s, 100.00%)'
	printf 'a 3565158\n#kst:unit=bytes\n' | kst-svg --no-script |
		grep -q '<title>a (3.4 MiB, 100.00%)'
	printf 'a 3\n#kst:unit=ns\n' | kst-svg --countname x --no-script |
		grep -q '<title>a (3 x, 100.00%)'
	rc=0
	printf 'a 1\n#kst:unit=ns\nb 1\n#kst:unit=samples\n' |
		kst-svg --no-script >out.svg 2>err || rc=$?
	[ $rc = 1 ]
	grep -q 'different units' err
	grep -q '<title>a (1 count, ' out.svg
}

@test "the script is well-formed and its functions do what they say" {
	cd "$BATS_TEST_DIRNAME/.."
	for f in share/svg/*.js; do
		node --check "$f"
		! grep -n ']]>' "$f" || false
		! grep -n -E '\b(innerHTML|eval|document\.write)\b' "$f" || false
	done
	node --test tests/svg/unit.test.mjs
}

@test "pieces of time are left out of the graph" {
	for i in 0 1 2 3 4 5 6 7 8 9; do
		b=$((i < 5 ? 4 : 8))
		printf '[%d.000s];CPU#0;halted;m;i %d\n' $i $((8 - b))
		printf '[%d.000s];CPU#0;running;m;f;g%d %d\n' $i $i $b
		if [ $i -lt 3 ] ; then
			printf '[%d.000s];CPU#10;halted;m;i 3\n' $i
		elif [ $i -gt 6 ] ; then
			printf '[%d.000s];CPU#10;running;m;f 2\n' $i
		fi
	done | grep -v ' 0$' >in
	echo '#kst:unit=samples,piece=1' >>in
	kst-svg --all --no-script in >out.svg
	kst-svg --all in >out-script.svg
	xmllint --noout out.svg
	grep -q ' piece="1000000000"' out-script.svg
	# the graph is that of the text without time and CPUs
	sed 's/^\[[^;]*;CPU#[0-9]*;//' in | kst-fold | sed 's/piece=1 *//' >plain
	kst-svg --all --no-script plain >plain.svg
	diff <(frames out.svg) <(frames plain.svg)
	# input in another order gives the same picture
	sort -r in >shuffled
	kst-svg --all --no-script shuffled | cmp - out.svg
	# their length is in the text, or what the nearest are apart
	printf '[0.0s];f 1\n[0.5s];f 1\n[1.5s];f 1\n' >apart
	kst-svg apart | grep -q ' piece="500000000"'
	{ cat apart; echo '#kst:piece=0.25'; } | kst-svg | grep -q ' piece="250000000"'
	# none: a chart, callers first, two counts, other roots
	sed 's/ \([0-9]*\)$/ \1 \1/; /^#/d' in >two
	(cat in; echo 'other;x 1') >mixed
	for o in '--flamechart in' '--reverse in' two mixed; do
		# shellcheck disable=SC2086
		kst-svg $o >no.svg
		! grep -q ' piece=' no.svg || false
	done
}

@test "failed samples are told to the script, and change nothing else" {
	printf '%s\n' '[0.000s];f 8' '[1.000s];f 8' '[3.000s];f 8' \
		'#kst:unit=samples,piece=1' >in
	kst-svg --all in >none.svg
	grep -q ' failed=""' none.svg
	printf '%s\n' '#kst:[1.000s],failed=3' '#kst:[4.000s],failed=1' \
		'#kst:[x],failed=1' '#kst:[2.000s],failed=-1' >>in
	kst-svg --all in >out.svg
	grep -q ' failed="1000000000:3 4000000000:1"' out.svg
	diff <(sed 's/ failed="[^"]*"//' out.svg) <(sed 's/ failed=""//' none.svg)
}
