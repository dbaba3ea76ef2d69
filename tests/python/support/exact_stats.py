"""What statistics say exactly, however the data was divided."""

from headrace.stats.feature_stats import Figures

# Sketches, and whatever is chosen at random.
_DIFFER = ("quantiles", "length_quantiles", "rank_error", "samples")


def exact(stats):
    """Records, and the figures of all features, without sketches."""
    def of(value):
        if isinstance(value, list) and value and isinstance(value[0], tuple):
            return sorted(value) if isinstance(value[0][0], bytes) else None
        if not isinstance(value, Figures):
            return value
        return {name: of(item) for name, item in vars(value).items()
                if name not in _DIFFER}

    return stats.num_records, {name: of(item) for name, item in stats.features.items()}
