/**
 * The parts of node:http. An import would read all its exports, and so load what Node's `fetch` is made of: 50 ms on Node 22
 * and newer, which a command that asks a server does not need.
 */
export const { Agent, createServer, request, ServerResponse, STATUS_CODES } = process.getBuiltinModule('node:http')
