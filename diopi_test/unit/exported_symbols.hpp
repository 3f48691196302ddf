// SPDX-License-Identifier: BSD-3-Clause
// The dynamic symbol table of a shared library.
#ifndef DIOPI_TEST_UNIT_EXPORTED_SYMBOLS_HPP_
#define DIOPI_TEST_UNIT_EXPORTED_SYMBOLS_HPP_

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

// Names of the defined symbols in .dynsym.
inline std::set<std::string> exported_symbols(const char* path) {
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

#endif  // DIOPI_TEST_UNIT_EXPORTED_SYMBOLS_HPP_
