# The site is made without warnings, and no link within it is broken.
expect ./dev docs
