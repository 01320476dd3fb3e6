kst-top --while acquire --by state --ignore '^$' <while-asleep.in
