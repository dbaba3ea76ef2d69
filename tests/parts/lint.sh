# The tree keeps the rules that ./dev lint checks.
expect ./dev lint
