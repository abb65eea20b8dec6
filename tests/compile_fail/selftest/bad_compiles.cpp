// SPDX-License-Identifier: Apache-2.0
// rejected: the mistake compiles
// first: .
#ifdef SITU_CONTROL
int one() { return 1; }
#else
int one() { return 1; }
#endif
