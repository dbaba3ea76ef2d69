"""`headrace.spark`: a Spark data source that reads and writes TFRecord files."""
