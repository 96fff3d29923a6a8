"""What the files of a cluster's servers say together: who they are, and what counts."""
