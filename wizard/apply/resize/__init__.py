"""A filesystem takes the free space behind its partition, or gives up the end of its own: tried out on a
stand-in that shows its own records, and of its files only what has to move. Each filesystem has its module;
`resized` knows them all."""
