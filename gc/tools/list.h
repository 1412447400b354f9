/* Every tool of the store, one line each: TOOL(name) means `const struct store_tool tool_name`.  They claim
 * streams, are asked and report in this order. */
TOOL(bad)
TOOL(parity)
TOOL(handles)
TOOL(slc)
TOOL(ahead)
TOOL(refresh)
TOOL(wear)
