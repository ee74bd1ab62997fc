import { writeFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { runToEnd, startServer } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'

beforeEach(() => void enterNewFolder())

const write = (config: object, file = 'fauxgate.config.json') => writeFileSync(file, JSON.stringify(config))

test('serve names the config file that it read, and the options that come from it', async () => {
  write({ dialect: 'ngrok', provisioningDelay: '5s', rateLimit: { requests: 5 } })
  const { output } = await startServer({}, '--provisioning-delay', '9s')
  expect(output.stdout).toContain('\nfauxgate.config.json sets 2 options: dialect, rateLimit\n')
})

test('serve says so if every option of the file is overridden, and nothing without a file', async () => {
  write({ port: 1 })
  const { output, stop } = await startServer({})
  expect(output.stdout).toContain('\nfauxgate.config.json sets no option\n')
  await stop()
  enterNewFolder()
  const without = await startServer({})
  expect(without.output.stdout).not.toContain('sets')
})

test('a log of JSON has the file and the options as facts, and a quiet server prints neither', async () => {
  write({ dialect: 'ngrok' }, 'other.json')
  const { output, stop } = await startServer({}, '--config', 'other.json', '--log', 'json')
  const lines = output.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const message = 'other.json sets 1 option: dialect'
  expect(lines).toContainEqual({ event: 'config', message, file: 'other.json', options: ['dialect'] })
  await stop()
  const quiet = await startServer({}, '--config', 'other.json', '--quiet')
  expect(quiet.output.stdout).not.toContain('other.json')
})

test('an upstream on another machine is rejected by the name of its option', async () => {
  const upstream = 'https://app.internal=http://192.0.2.1'
  const byFlag = await runToEnd({}, 'serve', '--port', '0', '--upstream', upstream)
  expect([byFlag.code, byFlag.stderr]).toEqual([
    2,
    expect.stringMatching(/^fauxgate: --upstream contains "http:\/\/192/),
  ])
  write({ upstreams: [upstream] })
  const byFile = await runToEnd({}, 'serve', '--port', '0')
  expect(byFile.stderr).toMatch(/^fauxgate: "upstreams" in fauxgate\.config\.json contains "http:\/\/192/)
})
