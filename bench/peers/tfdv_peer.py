"""TensorFlow Data Validation, which counts a set of files by Apache Beam.

A job's "way" is how Beam's own runner divides the work among "threads" workers:
"in_memory" or "multi_processing".
"""

import passes


def prepare(job):
    import tensorflow_data_validation
    from apache_beam.options.pipeline_options import PipelineOptions
    options = PipelineOptions([
        f"--direct_num_workers={job['threads']}",
        f"--direct_running_mode={job['way']}"])

    def one_pass():
        result = tensorflow_data_validation.generate_statistics_from_tfrecord(
            job["file"], pipeline_options=options)
        return result.datasets[0].num_examples

    return (f"TensorFlow Data Validation {tensorflow_data_validation.__version__}",
            one_pass)


if __name__ == "__main__":
    passes.main(prepare)
