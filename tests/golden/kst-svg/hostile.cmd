sh ./draw.sh --title '<b>&"T"' --notes ']]> --' --subtitle "it's"
