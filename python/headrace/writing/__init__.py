"""Writes files: TFRecord files, archives, uploads."""
