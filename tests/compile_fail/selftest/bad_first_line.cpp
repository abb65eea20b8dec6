// SPDX-License-Identifier: Apache-2.0
// rejected: the first error line does not match
// first: second_name
#ifdef SITU_CONTROL
int two() { return 1; }
#else
int two() { return first_name + second_name; }
#endif
