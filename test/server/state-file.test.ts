import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { replaceFile, requireReplaceable } from '../../src/server/files.ts'
import { StateFile } from '../../src/server/state.ts'
import { startServer } from '../support/command.ts'
import { exchange } from '../support/exchange.ts'
import { enterNewFolder } from '../support/folder.ts'

beforeEach(() => void enterNewFolder())

const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }

it('A failed write of a state file leaves nothing behind', async () => {
  mkdirSync('taken/by a folder', { recursive: true })
  await expect(replaceFile('taken', 'new')).rejects.toThrow()
  await expect(replaceFile('missing/state.json', 'new')).rejects.toThrow(
    /^missing\/state\.json cannot be written: its folder does not exist\. /,
  )
  expect(readdirSync('.')).toEqual(['taken'])
})

it('A state file is written through a symbolic link, and the link stays', async () => {
  writeFileSync('real.json', 'old')
  symlinkSync('real.json', 'link.json')
  await replaceFile('link.json', 'new')
  expect(readFileSync('real.json', 'utf8')).toBe('new')
  expect(readdirSync('.').sort()).toEqual(['link.json', 'real.json'])
})

it('A state file is rejected if it is a symbolic link to a file that does not exist', async () => {
  symlinkSync('gone.json', 'link.json')
  await expect(requireReplaceable('link.json')).rejects.toThrow('it is a symbolic link to a file that does not exist')
  await expect(replaceFile('link.json', 'new')).rejects.toThrow('it is a symbolic link')
})

it('A state file is not written through a link in the place of its part file', async () => {
  writeFileSync('victim', 'kept')
  symlinkSync('victim', `state.json.${process.pid}.part`)
  await replaceFile('state.json', 'new')
  expect(readFileSync('victim', 'utf8')).toBe('kept')
})

it('At the start, the part files of killed processes are removed, and no other file', async () => {
  const names = ['state.json.4711.part', 'state.json.part', 'state.json.x.part', 'other.json.4711.part']
  for (const name of names) writeFileSync(name, '')
  await requireReplaceable('state.json')
  expect(readdirSync('.').sort()).toEqual(names.slice(1).sort())
})

it('A state file is written on SIGHUP, while the server continues', async () => {
  const { url, stop } = await startServer({}, '--state', 'state.json')
  await fetch(`${url}/reserved_addrs`, { method: 'POST', headers })
  expect(existsSync('state.json')).toBe(false)
  process.emit('SIGHUP')
  while (!existsSync('state.json')) await nextTurn()
  expect(JSON.parse(readFileSync('state.json', 'utf8')).records.reserved_addrs).toHaveLength(1)
  expect((await fetch(`${url}/reserved_addrs`, { headers })).status).toBe(200)
  expect(await stop()).toBe(0)
})

it('A job continues after a restart with a state file, and its timeline says where', async () => {
  const options = ['--state', 'state.json', '--clock', 'manual']
  const first = await startServer({}, ...options)
  const certificate_management_policy = { authority: 'letsencrypt', private_key_type: 'ecdsa' }
  const body = JSON.stringify({ domain: 'app.example.com', certificate_management_policy })
  await fetch(`${first.url}/reserved_domains`, { method: 'POST', headers, body })
  expect(await first.stop()).toBe(0)
  const second = await startServer({}, ...options)
  const response = await fetch(`${second.url}/_fauxgate/timelines`)
  expect(await response.json()).toMatchObject({ timelines: [{ state: 'provisioning', timeline: [{}], earlier: 1 }] })
})

it('A state file is written every minute if a request may have changed the state', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const stateFile = new StateFile(createGateway(), 'state.json')
  const controller = new AbortController()
  const failures: unknown[] = []
  const writing = stateFile.writeEachMinute(controller.signal, (error) => failures.push(error))
  const waitForFile = async () => {
    while (!existsSync('state.json')) await nextTurn()
    return JSON.parse(readFileSync('state.json', 'utf8')).records
  }
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await waitForFile()).reserved_addrs).toEqual([])
  rmSync('state.json')
  exchange(stateFile.gateway, { method: 'GET' })
  await nextTurn()
  await vi.advanceTimersByTimeAsync(120_000)
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  expect(readdirSync('.')).toEqual([])
  exchange(stateFile.gateway, { body: '{}' })
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await waitForFile()).reserved_addrs).toHaveLength(1)
  controller.abort()
  await writing
  expect(failures).toEqual([])
  vi.useRealTimers()
})

it('Only a start from a state file says that the seed applies only after a reset', async () => {
  const notice = 'state.json already has a state: --seed applies only after a reset.'
  const outputs: string[] = []
  for (let run = 0; run < 2; run++) {
    const { output, stop } = await startServer({}, '--state', 'state.json', '--seed', 'other')
    expect(await stop()).toBe(0)
    outputs.push(output.stdout)
  }
  expect(outputs.map((each) => each.includes(notice))).toEqual([false, true])
})
