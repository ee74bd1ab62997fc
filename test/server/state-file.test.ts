import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { replaceFile, requireReplaceable } from '../../src/server/files.ts'
import { StateFile } from '../../src/server/state.ts'
import { ran, serving } from '../support/command.ts'
import { exchanged } from '../support/exchanged.ts'
import { newFolder } from '../support/folder.ts'

let folder: string
beforeEach(() => {
  folder = newFolder()
})

const at = (name: string) => join(folder, name)
const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }

it('leaves nothing behind where a state file cannot be put in place', async () => {
  mkdirSync(at('taken/by a folder'), { recursive: true })
  await expect(replaceFile(at('taken'), 'new')).rejects.toThrow()
  await expect(replaceFile(at('missing/state.json'), 'new')).rejects.toThrow(
    /^\S+state\.json cannot be written: its folder does not exist\. /,
  )
  expect(readdirSync(folder)).toEqual(['taken'])
})

it('is written where its name is a link to, and the link stays', async () => {
  writeFileSync(at('real.json'), 'old')
  symlinkSync('real.json', at('link.json'))
  await replaceFile(at('link.json'), 'new')
  expect(readFileSync(at('real.json'), 'utf8')).toBe('new')
  expect(readdirSync(folder).sort()).toEqual(['link.json', 'real.json'])
})

it('is refused where its name is a link to a file that does not exist', async () => {
  symlinkSync('gone.json', at('link.json'))
  await expect(requireReplaceable(at('link.json'))).rejects.toThrow(
    'it is a symbolic link to a file that does not exist',
  )
  await expect(replaceFile(at('link.json'), 'new')).rejects.toThrow('it is a symbolic link')
})

it('is not written through a link that somebody put where its part would be', async () => {
  writeFileSync(at('victim'), 'kept')
  symlinkSync('victim', at(`state.json.${process.pid}.part`))
  await replaceFile(at('state.json'), 'new')
  expect(readFileSync(at('victim'), 'utf8')).toBe('kept')
})

it('is tried at the start: what cannot be written is said before anybody counts on it', async () => {
  const { code, stdout, stderr } = await ran({}, 'serve', '--port', '0', '--state', at('missing/state.json'))
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(
    /^fauxgate: --state: \S+missing\/state\.json cannot be written: its folder does not exist\. Choose a file .*\n$/,
  )
})

it('loses the parts of writes that never ended, and no other file', async () => {
  const names = ['state.json.4711.part', 'state.json.part', 'state.json.x.part', 'other.json.4711.part']
  for (const name of names) writeFileSync(at(name), '')
  await requireReplaceable(at('state.json'))
  expect(readdirSync(folder).sort()).toEqual(names.slice(1).sort())
})

it('is written on SIGHUP, while the server continues', async () => {
  const { url, stop } = await serving({}, '--state', at('state.json'))
  await fetch(`${url}/reserved_addrs`, { method: 'POST', headers })
  expect(existsSync(at('state.json'))).toBe(false)
  process.emit('SIGHUP')
  while (!existsSync(at('state.json'))) await nextTurn()
  expect(JSON.parse(readFileSync(at('state.json'), 'utf8')).records.reserved_addrs).toHaveLength(1)
  expect((await fetch(`${url}/reserved_addrs`, { headers })).status).toBe(200)
  expect(await stop()).toBe(0)
})

it('is written every minute where something was asked that may have changed it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const kept = new StateFile(createGateway(), at('state.json'))
  const stopped = new AbortController()
  const failures: unknown[] = []
  const going = kept.writeEachMinute(stopped.signal, (error) => failures.push(error))
  const written = async () => {
    while (!existsSync(at('state.json'))) await nextTurn()
    return JSON.parse(readFileSync(at('state.json'), 'utf8')).records
  }
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await written()).reserved_addrs).toEqual([])
  rmSync(at('state.json'))
  exchanged(kept.gateway, { method: 'GET' })
  await nextTurn()
  await vi.advanceTimersByTimeAsync(120_000)
  await kept.write()
  rmSync(at('state.json'))
  exchanged(kept.gateway, { body: '{}' })
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await written()).reserved_addrs).toHaveLength(1)
  stopped.abort()
  await going
  expect(failures).toEqual([])
  vi.useRealTimers()
})
