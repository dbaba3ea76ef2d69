from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.files import copy, get
from conan.tools.gnu import PkgConfigDeps
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain

required_conan_version = ">=2.4"


class HeadraceConan(ConanFile):
    name = "headrace"
    version = "0.1.0"
    description = "TFRecord files as columns and tensors, without TensorFlow"
    license = "Apache-2.0"
    url = "https://github.com/conan-io/conan-center-index"
    homepage = "https://github.com/headrace/headrace"
    topics = ("tfrecord", "tensorflow", "arrow", "parsing")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    languages = "C++"
    implements = ["auto_shared_fpic"]

    def layout(self):
        basic_layout(self, src_folder="src")

    def requirements(self):
        self.requires("highway/[>=1.0.3 <2]")
        self.requires("abseil/[>=20220623.0]")
        self.requires("xxhash/[>=0.8.1 <0.9]")
        self.requires("zlib/[>=1.2.11 <2]")
        self.requires("zstd/[>=1.5 <1.6]")
        self.requires("snappy/[>=1.1.9 <2]")
        self.requires("libdeflate/[>=1.14 <2]")
        self.requires("flatbuffers/[>=2.0.8]")
        self.requires("nlohmann_json/[>=3.11 <4]")

    def build_requirements(self):
        self.tool_requires("meson/[>=1.0.1 <2]")
        self.tool_requires("pkgconf/[>=2.1 <3]")
        self.tool_requires("flatbuffers/<host_version>")

    def validate(self):
        check_min_cppstd(self, 20)

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = MesonToolchain(self)
        toolchain.project_options.update(
            {"tests": False, "benchmarks": False, "cli": False, "isa_l": "disabled"}
        )
        toolchain.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")
        Meson(self).install()

    def package_info(self):
        self.cpp_info.libs = ["headrace"]
        self.cpp_info.set_property("pkg_config_name", "headrace")
        self.cpp_info.set_property("cmake_file_name", "headrace")
        self.cpp_info.set_property("cmake_target_name", "headrace::headrace")
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["m", "pthread"]
