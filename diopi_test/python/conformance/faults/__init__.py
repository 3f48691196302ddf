"""The judge is judged: a library with one fault at a time, and the cases that find it."""
