// SPDX-License-Identifier: Apache-2.0
// first: this matches nothing, the line for the compiler's kind counts
// first[gcc]: undeclared_name
// first[clang]: undeclared_name
// lines: 1
// lines[gcc]: 12
// lines[clang]: 12
#ifdef SITU_CONTROL
int value() { return 1; }
#else
int value() { return undeclared_name; }
#endif
