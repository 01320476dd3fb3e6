kst-svg --no-script -c kernel --palette my.palette
