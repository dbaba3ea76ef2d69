"""`headrace.spark`."""
