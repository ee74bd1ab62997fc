import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it.each([
  ['Traffic', 'src/control/traffic/index.ts'],
  ['GatewayAgent', 'src/control/agent/index.ts'],
  ['AgentBehaviour', 'src/control/agent/index.ts'],
  ['AgentTunnel', 'src/control/agent/resources.ts'],
  ['ObjectClass', 'src/sandbox/index.ts'],
  ['SandboxWorker', 'src/sandbox/index.ts'],
])('The type %s carries @experimental, as README says', (name, file) => {
  const before = readFileSync(file, 'utf8').split(new RegExp(`export (?:interface|type) ${name}\\b`))[0] ?? ''
  const docstring = before.slice(before.lastIndexOf('/**'))
  expect(docstring.trimEnd()).toMatch(/@experimental\n \*\/$/)
})
