kst-svg --no-script -c kernel --palette my.palette | sed '/^<style>$/,/^\.f>path{stroke-width/d'
