"""Files that are written: TFRecord files, archives, uploads."""
