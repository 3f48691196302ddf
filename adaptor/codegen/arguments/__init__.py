# SPDX-License-Identifier: BSD-3-Clause
"""C++ that reads and checks the arguments of each function of a family, and hands them to the family.

For diopiAdd, the generated header has a struct `AddArgs` with the checked arguments of the function and of its in-place
and scalar forms. `read_add` (one such function for each form) reads the handles and makes the checks of the registry.
`impl::<vendor>::diopiAdd` calls `read_add` and then `run(ctx, AddArgs&)`, which the family defines.
"""
