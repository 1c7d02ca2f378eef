// What runtimes mark their answers with, for Weir.

/** The header of an answer of a runtime that has nothing at an address: neither a flow nor, for whoever asked, an editor. */
export const nothingHeader = 'x-weir-nothing';
