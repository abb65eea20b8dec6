// SPDX-License-Identifier: Apache-2.0
// rejected: lines, the limit is 12
// first: name_1
// lines: 12
// lines[clang]: 12
#ifdef SITU_CONTROL
int four() { return 1; }
#else
int four() {
  name_1 = 1;
  name_2 = 2;
  name_3 = 3;
  name_4 = 4;
  name_5 = 5;
  return name_6;
}
#endif
