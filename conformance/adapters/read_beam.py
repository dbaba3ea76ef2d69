"""Answers for Apache Beam: the records of a file, by the source of its
ReadFromTFRecord."""

import apache_beam as beam
from apache_beam.coders import BytesCoder
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.tfrecordio import ReadFromTFRecord

import answering

COMPRESSIONS = {"none": CompressionTypes.UNCOMPRESSED,
                "gzip": CompressionTypes.GZIP,
                "zlib": CompressionTypes.DEFLATE}


def records(question):
    answering.whole_files_only(question, COMPRESSIONS)
    with answering.file_of(question) as file:
        source = ReadFromTFRecord(
            file.name, BytesCoder(),
            COMPRESSIONS[question["compression"]])._source
        return answering.records(source.read(
            source.get_range_tracker(None, None)))


if __name__ == "__main__":
    answering.run(f"Apache Beam {beam.__version__}", {"records": records})
