// The dynamic symbol table of a vendor's library: the operators that it has, two hooks, and nothing else.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

// Names of the defined symbols in .dynsym.
std::set<std::string> exported_symbols(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::set<std::string> names;
  if (bytes.size() < sizeof(Elf64_Ehdr)) return names;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof(header));
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM) continue;
    const char* strings = bytes.data() + sections[section.sh_link].sh_offset;
    std::vector<Elf64_Sym> symbols(section.sh_size / sizeof(Elf64_Sym));
    std::memcpy(symbols.data(), bytes.data() + section.sh_offset, section.sh_size);
    for (const Elf64_Sym& symbol : symbols) {
      if (symbol.st_shndx != SHN_UNDEF) names.insert(strings + symbol.st_name);
    }
  }
  return names;
}

TEST(EntrySymbols, a_library_exports_its_operators_and_two_hooks) {
  EXPECT_EQ(exported_symbols(SKELETON_LIBRARY),
            (std::set<std::string>{"diopiAdd", "diopiAddInp", "diopiCastDtype", "diopiCat", "diopiContiguous",
                                   "diopiCopyInp", "diopiGetImplVersion", "diopiGetLastErrorString",
                                   "diopiGetVendorName", "diopiIndexSelect", "diopiLinear", "diopiMaskedSelect",
                                   "diopiMaxPool2d", "diopiMul", "diopiNonzero", "diopiRelu", "diopiReluInp",
                                   "diopiSum", "finalizeLibrary", "initLibrary"}));
}

TEST(EntrySymbols, helpers_of_a_vendor_stay_inside) {
  for (const std::string& name : exported_symbols(PROBE_LIBRARY)) {
    EXPECT_TRUE(name.rfind("diopi", 0) == 0 || name == "initLibrary" || name == "finalizeLibrary") << name;
    EXPECT_EQ(name.find("impl"), std::string::npos) << name;
  }
}

}  // namespace
