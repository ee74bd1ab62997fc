// The proof on one Node: `node prove.mjs REPLAYS idle|busy [copies]`, in the folder of tools/survives.mjs, which has its
// imports. With all cores busy, it only creates the traces. With `copies`, these are only those of interleavings.
import assert from 'node:assert/strict'
import { createHash, pbkdf2, webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { createNgrok } from 'fauxgate/ngrok'
import { serve } from 'fauxgate/node'
import { schedules, survives } from 'fauxgate/testing'
import { OVER_FETCH, OVER_SERVE } from './clients.mjs'
import { CORRECT, PLANTED } from './programs/planted.mjs'
import { GREEN, RED } from './programs/ported.mjs'
import { optionsOf, RACY, SAFE } from './programs/racy.mjs'
import { SIX } from './programs/six.mjs'

const [replays, mode, isOfCopies] = [Number(process.argv[2]), process.argv[3], process.argv[4] === 'copies']
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Searches a program for schedules that break it, and prints what was found, with the processor time. */
async function expectOutcome(isBuggy, name, program, options = {}) {
  const started = cpuSeconds()
  const { summary, failure } = await survives(program, { restart: true, ...options }).catch((error) => {
    if (error.name !== 'SurvivalError') throw error
    return { failure: `${error.message.split('\n')[0]} [${error.replay}]` }
  })
  const isRight = isBuggy === (failure !== undefined)
  if (!isRight) process.exitCode = 1
  const words = isBuggy ? { right: 'found', wrong: 'MISSED' } : { right: 'ok', wrong: 'FALSE ALARM' }
  console.log(
    `${isRight ? words.right : words.wrong}  ${name}: ${failure ?? summary}, ${(cpuSeconds() - started).toFixed(1)} s`,
  )
}
const expectRed = (name, program) => expectOutcome(true, name, program)
const expectGreen = (name, program, options) => expectOutcome(false, name, program, options)

/** Runs a program whose work goes through the thread pool. */
async function runInThreads(place) {
  const bytes = await promisify(gzip)(Buffer.from('x'.repeat(100_000)))
  const key = await promisify(pbkdf2)('secret', 'salt', 100, 16, 'sha256')
  const digest = Buffer.from(await webcrypto.subtle.digest('SHA-256', await promisify(gunzip)(bytes)))
  await SIX['a duplicate after a lost response'].fixed(place)
  assert.equal(digest.length + key.length, 48)
}

/** Runs replays of schedules, and returns a digest of their traces. */
async function hashTraces() {
  const all = createHash('sha256')
  const programs = {
    threaded: runInThreads,
    crash: SIX['a crash between create and save'].buggy,
    certificate: SIX['DNS_ERROR taken as final'].fixed,
    retry: OVER_FETCH['p-retry, with a time limit for each try'],
  }
  const each = 20 / Object.keys(programs).length
  for (const [name, program] of isOfCopies ? [] : Object.entries(programs)) {
    const found = []
    for await (const tried of schedules(program, { restart: true, faults: 2 })) found.push(tried)
    const step = Math.floor((found.length - 1) / each)
    for (let at = found.length - 1, left = each; left > 0; at -= step, left--) {
      const { replay, story, snapshot, verdict } = found[at]
      const expected = JSON.stringify([verdict, story, snapshot])
      for (let time = 0; time < replays; time++) {
        for await (const again of schedules(program, { restart: true, replay })) {
          if (again.schedule.length === 0) continue
          assert.equal(JSON.stringify([again.verdict, again.story, again.snapshot]), expected, `${name}: ${replay}`)
        }
      }
      all.update(expected)
    }
  }
  const racy = Object.entries(RACY).slice(0, 10)
  for (const [name, race] of racy) await hashInterleavings(all, name, race.code, optionsOf(race, createNgrok))
  return all.digest('hex').slice(0, 16)
}

/** Runs replays of two interleavings of copies. */
async function hashInterleavings(all, name, code, options) {
  const found = []
  for await (const tried of schedules(code, options)) found.push(tried)
  for (const { replay, story, snapshot, verdict } of found.slice(-2)) {
    const expected = JSON.stringify([verdict, story, snapshot])
    for (let time = 0; time < replays; time++) {
      let last
      for await (const again of schedules(code, { ...options, replay })) last = again
      assert.equal(JSON.stringify([last.verdict, last.story, last.snapshot]), expected, `${name}: ${replay}`)
    }
    all.update(expected)
  }
}

if (mode === 'idle' && !isOfCopies) {
  for (const [name, { buggy, fixed }] of Object.entries(SIX)) {
    await expectRed(name, buggy)
    await expectGreen(`${name}, corrected`, fixed)
  }
  for (const [name, program] of Object.entries({ ...RED, ...PLANTED })) await expectRed(name, program)
  for (const [name, program] of Object.entries({ ...GREEN, ...CORRECT })) await expectGreen(name, program)
  for (const [name, client] of Object.entries(OVER_FETCH)) await expectGreen(name, client)
  for (const [name, race] of Object.entries(RACY))
    await expectOutcome(true, name, race.code, optionsOf(race, createNgrok))
  for (const [name, race] of Object.entries(SAFE))
    await expectOutcome(false, name, race.code, optionsOf(race, createNgrok))
  const options = { faults: 1, serve: (gateway) => serve(gateway, { port: 0 }) }
  for (const [name, client] of Object.entries(OVER_SERVE)) await expectGreen(name, client, options)
}
console.log(`traces ${await hashTraces()}`)
