/* SPDX-License-Identifier: ISC */
/*
 * Loops, conditions and a jump, of which gcov on the host and kst-count
 * --coverage in a guest count the same lines and branches.
 */
int data[64];
volatile int sink;

static int
collatz(int n)
{
	int steps = 0;

	while (n != 1) {
		if (n % 2 == 0)
			n /= 2;
		else
			n = 3 * n + 1;
		steps++;
	}
	return steps;
}

static void
sort(int *v, int n)
{
	for (int i = 1; i < n; i++) {
		int x = v[i], k;

		for (k = i; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

int
never(int a)
{
	if (a)
		return 1;
	return 2;
}

static int
kind(int c)
{
	return c < 10 ? 1 : c < 20 ? 2 : 3;
}

static int
find(const int *v, int n, int x)
{
	int i = 0;

	do {
		if (v[i] == x)
			goto found;
		i++;
	} while (i < n);
	return -1;
found:
	return i;
}

static int
one_line(int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += i;
	return s;
}

int
work(void)
{
	int total = 0;

	for (int i = 0; i < 64; i++)
		data[i] = (i * 37 + 11) % 64;
	sort(data, 64);
	for (int i = 1; i < 40; i++)
		total += collatz(i);
	for (int i = 0; i < 30; i++)
		total += kind(i);
	if (total < 0 || (total & 1 && total > 100000))
		never(total);
	total += find(data, 64, 5) + find(data, 64, 1000);
	total += one_line(10) + one_line(3);
	sink = total;
	return total;
}
