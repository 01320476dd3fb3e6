sh ./draw.sh -c rust
