"""Opens inputs that are not local files: URLs, object stores, file objects."""
