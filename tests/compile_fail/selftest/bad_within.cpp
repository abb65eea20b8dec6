// SPDX-License-Identifier: Apache-2.0
// rejected: the message does not contain
// first: some_name
// within: other_name
#ifdef SITU_CONTROL
int three() { return 1; }
#else
int three() { return some_name; }
#endif
