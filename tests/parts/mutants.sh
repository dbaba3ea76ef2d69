# The tests notice the mistakes that ./dev mutants makes.
expect ./dev mutants
