"""Programs of Python with confluent-kafka."""

import warnings

# Python warns of the syntax of a program that is parsed (1if x else 0) on standard error.
warnings.filterwarnings("ignore", category=SyntaxWarning, module="<unknown>")
