kst-svg --no-script -c kernel --palette my.palette | sed '/^<style>$/,/^svg{font-family/d'
