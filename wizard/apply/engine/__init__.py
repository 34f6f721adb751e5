"""One way to write to a drive: rehearsed on a stand-in, old bytes saved, committed through any power cut,
kept or undone."""
