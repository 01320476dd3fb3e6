#x 1/1 1.0: 1 c:
	ffffffff81 f (k)

a 1/1 1.0: 1 c:
	ffffffff81 g (k)

