// SPDX-License-Identifier: Apache-2.0
// rejected: the correct twin does not compile
// first: missing_name
#ifdef SITU_CONTROL
int five() { return also_missing; }
#else
int five() { return missing_name; }
#endif
