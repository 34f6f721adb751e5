"""What a partition table is to hold before, during and after the move of one partition."""
