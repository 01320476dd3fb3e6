{ cat raw.in; printf '\0\1'; } | kst-import
