"""A filesystem takes the free space behind its partition: tried out on a stand-in that shows its own records,
and none of its files. Each filesystem has its module; `grown` knows them all."""
