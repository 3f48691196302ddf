// SPDX-License-Identifier: BSD-3-Clause
// The dynamic symbol table of the reference runtime.
#include <gtest/gtest.h>

#include "diopi_test/unit/exported_symbols.hpp"

namespace {

// The functions of the contract and of the runtime's own interface.
const std::set<std::string> kExpected{
    "diopiGeneratorGetSeedAndOffset",
    "diopiGeneratorGetState",
    "diopiGeneratorSetSeedAndOffset",
    "diopiGeneratorSetState",
    "diopiGetCurrentDeviceIndex",
    "diopiGetStream",
    "diopiGetTensorColIndices",
    "diopiGetTensorCrowIndices",
    "diopiGetTensorData",
    "diopiGetTensorDataConst",
    "diopiGetTensorDevice",
    "diopiGetTensorDeviceIndex",
    "diopiGetTensorDtype",
    "diopiGetTensorElemSize",
    "diopiGetTensorNumel",
    "diopiGetTensorShape",
    "diopiGetTensorStorageNbytes",
    "diopiGetTensorStorageOffset",
    "diopiGetTensorStoragePtr",
    "diopiGetTensorStride",
    "diopiGetTensorValues",
    "diopiGetVersion",
    "diopiIsTensorSparse",
    "diopiRecordEnd",
    "diopiRecordStart",
    "diopiRegisterDevMemFreeFunc",
    "diopiRegisterDeviceMallocFunc",
    "diopiRegisterGetLastErrorFunc",
    "diopiRegisterMemcpyD2DAsyncFunc",
    "diopiRegisterMemcpyD2HAsyncFunc",
    "diopiRegisterMemcpyH2DAsyncFunc",
    "diopiRegisterStreamCreateFunc",
    "diopiRegisterStreamDestroyFunc",
    "diopiRegisterSynchronizeStreamFunc",
    "diopiRequireBuffer",
    "diopiRequireTensor",
    "diopirtClearTemporaries",
    "diopirtCopyFromHost",
    "diopirtCopyTensor",
    "diopirtCopyToHost",
    "diopirtCreateContext",
    "diopirtCreateGenerator",
    "diopirtCreateSparseCsr",
    "diopirtCreateTensor",
    "diopirtCreateView",
    "diopirtDestroyContext",
    "diopirtDestroyGenerator",
    "diopirtFromDLPack",
    "diopirtFromDLPackVersioned",
    "diopirtGetContextStatistics",
    "diopirtGetFunction",
    "diopirtGetLastErrorString",
    "diopirtGetStatistics",
    "diopirtGetVendorErrorString",
    "diopirtIsTensorReadOnly",
    "diopirtLoadLibrary",
    "diopirtQueueCopy",
    "diopirtReadStorage",
    "diopirtReleaseCachedMemory",
    "diopirtReleaseTensor",
    "diopirtReportLiveTensors",
    "diopirtRetainTensor",
    "diopirtSetCaching",
    "diopirtSetDLPackDevice",
    "diopirtSetRecordHook",
    "diopirtSetStream",
    "diopirtSynchronize",
    "diopirtToDLPack",
    "diopirtToDLPackVersioned",
    "diopirtUnloadLibrary",
    "diopirtWrapMemory",
    "diopirtWriteStorage",
};

TEST(RuntimeSymbols, the_runtime_exports_the_contract_and_its_own_interface_and_nothing_else) {
  EXPECT_EQ(exported_symbols(RUNTIME_LIBRARY), kExpected);
}

}  // namespace
