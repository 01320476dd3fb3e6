sh ./draw.sh -c annotated
