"""headrace.parse_elwc of the same lists, with a plan that is compiled once."""

import elwc_lists
import passes


def prepare(job):
    import headrace as hr
    types = {"int64": hr.int64, "string": hr.bytes_, "float32": hr.float32}
    plan = hr.Plan(hr.ElwcSpec(*elwc_lists.specs(hr, types)))
    lists = elwc_lists.batches(job)

    def one_pass():
        return sum(hr.parse_elwc(batch, plan)["length"].shape[0] for batch in lists)

    return f"headrace {hr.__version__}", one_pass


if __name__ == "__main__":
    passes.main(prepare)
