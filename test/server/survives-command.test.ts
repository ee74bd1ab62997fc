import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { runToEnd, startCommand, startProcess } from '../support/command.ts'
import { newFile, newFolder } from '../support/folder.ts'
import { waitUntil } from '../support/wire.ts'

/** Each test runs a program up to twenty times, and some machines are busy. */
const LONG = { timeout: 300_000 }

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0

/** Says loudly which programs are left out. */
function unless(isThere: boolean, what: string): boolean {
  if (!isThere) process.stderr.write(`\nNOT TESTED: fauxgate survives with ${what}, which is missing here.\n`)
  return !isThere
}

async function runSurvives(...args: string[]) {
  const { output, exited } = startProcess({}, 'survives', '--silence=1', ...args)
  return { code: await exited, ...output }
}

const PYTHON = `
import json, os, sys, urllib.request
headers = {"authorization": "Bearer key", "ngrok-version": "2", "content-type": "application/json"}
def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    url = os.environ["FAUXGATE_URL"] + path
    with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as response:
        return json.load(response)
for tries in range(5):
    try:
        LOOK
        call("POST", "/reserved_addrs", {"description": "app"})
        sys.exit(0)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
sys.exit("it gives up")
`

const SHELL = `
call() { curl -sf -H 'authorization: Bearer key' -H 'ngrok-version: 2' -H 'content-type: application/json' "$@"; }
[ -f "$FAUXGATE_FOLDER/saved" ] && exit 0
call -d '{"description":"app"}' "$FAUXGATE_URL/reserved_addrs" > "$FAUXGATE_FOLDER/saved"
`

const GO = `package main

import (
	"net/http"
	"os"
	"strings"
)

func main() {
	for tries := 0; tries < 5; tries++ {
		request, _ := http.NewRequest("POST", os.Getenv("NGROK_API_URL")+"/reserved_addrs", strings.NewReader("{}"))
		request.Header = http.Header{"Authorization": {"Bearer key"}, "Ngrok-Version": {"2"}, "Content-Type": {"application/json"}}
		response, err := http.DefaultClient.Do(request)
		if err == nil && response.StatusCode == 201 {
			return
		}
	}
	os.Exit(1)
}
`

const TWICE = '2 reserved_addrs, expected 1'

describe.skipIf(unless(has('python3', '--version'), 'Python'))('survives runs a Python program', LONG, () => {
  const write = (look: string) => newFile('onboard.py', PYTHON.replace('LOOK', look))

  const LOOK = 'if call("GET", "/reserved_addrs")["reserved_addrs"]: sys.exit(0)'

  test('a program that does not look before it tries again is broken by a lost response', async () => {
    const { code, stdout } = await runSurvives('--', 'python3', write('pass'))
    expect(stdout).toMatch(`does not survive one fault: ${TWICE}`)
    expect(stdout).toMatch('POST /reserved_addrs {"description": "app"} ✗ done, but the response is lost (ra_a)')
    expect(stdout).toMatch(
      'Replay: fauxgate survives --replay "POST /reserved_addrs#1 lost-after" --silence 1 -- python3 ',
    )
    expect(code).toBe(1)
  })

  test('a replay tries one schedule, and shows what the command prints', async () => {
    const { code, stdout, stderr } = await runSurvives(
      '--replay',
      'POST /reserved_addrs#1 503',
      '--',
      'python3',
      write('pass'),
    )
    expect(stderr).toMatch('HTTP Error 503')
    expect(stdout).toBe('1 of 1 schedules with up to 1 fault; 0 fail\n')
    expect(code).toBe(0)
  })

  test('a program that looks first survives all failures of one request, and crashes', async () => {
    const { code, stdout } = await runSurvives('--restart', '--', 'python3', write(LOOK))
    expect([code, stdout]).toEqual([0, '15 of 15 schedules with up to 1 fault; 0 fail\n'])
  })

  test('two copies of a program that looks first are a race', async () => {
    const race = await runSurvives('--copies', '2', '--', 'python3', write(LOOK))
    expect(race.stdout).toMatch(
      'Two concurrent copies end differently than copies that run one after the other: 2 reserved_addrs, expected 1.',
    )
    expect(race.stdout).toMatch('Replay: fauxgate survives --replay "A1 B A" --silence 1 --copies 2 -- python3 ')
    expect(race.code).toBe(1)
  })
})

describe.skipIf(unless(has('curl', '--version'), 'a shell script and curl'))(
  'survives runs a shell script',
  LONG,
  () => {
    test('a file that stays empty after a crash hides that the address is not saved', async () => {
      const file = newFile('onboard.sh', SHELL)
      const { code, stdout } = await runSurvives('--restart', '--allow', 'exit code', '--', 'sh', file)
      expect(stdout).toMatch(/does not survive one fault/)
      expect(code).toBe(1)
    })

    test('a setup runs in a shell before each run, and what it creates is not left by the command', async () => {
      const create = `curl -sf -H 'authorization: Bearer key' -H 'ngrok-version: 2' -H 'content-type: application/json' -d '{}' $FAUXGATE_URL/reserved_addrs`
      const list =
        'curl -sf -H "authorization: Bearer key" -H "ngrok-version: 2" $FAUXGATE_URL/reserved_addrs | grep -q ra_'
      const { code, stdout } = await runSurvives('--setup', create, '--', 'sh', '-c', list)
      expect([code, stdout]).toEqual([0, '5 of 5 schedules with up to 1 fault; 0 fail\n'])
    })
  },
)

describe.skipIf(unless(has('go', 'version'), 'Go'))('survives runs a Go binary', LONG, () => {
  test('a retry without a look creates a second address after a lost response', async () => {
    const file = newFile('main.go', GO)
    const binary = join(dirname(file), 'onboard')
    const built = spawnSync('go', ['build', '-o', binary, file])
    expect([built.status, String(built.stderr)]).toEqual([0, ''])
    const { code, stdout } = await runSurvives('--', binary)
    expect(stdout).toMatch(`does not survive one fault: ${TWICE}`)
    expect(code).toBe(1)
  })
})

describe.skipIf(unless(has('curl', '--version'), 'a shell and curl'))(
  'survives passes its environment and its limits',
  LONG,
  () => {
    const HEADERS = `-H 'authorization: Bearer key' -H 'ngrok-version: 2' -H 'content-type: application/json'`

    test('every variable that programs of ngrok read has the URL of the gateway', async () => {
      const isSame = '[ "$NGROK_API_URL" = "$FAUXGATE_URL" ] && [ "$NGROK_API_BASE_URL" = "$FAUXGATE_URL" ]'
      const { code, stdout } = await runSurvives(
        '--',
        'sh',
        '-c',
        `${isSame} && curl -sf ${HEADERS} $NGROK_API_URL/vaults`,
      )
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^(\d+) of \1 schedules with up to 1 fault; 0 fail\n$/)])
    })

    test('--faults tries pairs of failures, and --max stops after a number of schedules', async () => {
      const lists = ['vaults', 'reserved_addrs'].map((path) => `curl -s ${HEADERS} $FAUXGATE_URL/${path}; `)
      const { stdout } = await runSurvives('--faults', '2', '--max', '12', '--', 'sh', '-c', `${lists.join('')}exit 0`)
      expect(stdout).toMatch(/^12 of \d\d+ schedules with up to 2 faults/)
    })
  },
)

test('a line without a command, or with a wrong flag, has the exit code 2', async () => {
  for (const args of [[], ['--fault', '2', '--', 'true']]) {
    const { code, stderr } = await runSurvives(...args)
    expect(stderr).toMatch(/See "fauxgate help survives"/)
    expect(code).toBe(2)
  }
})

test.skipIf(process.platform === 'win32')('a setup that takes longer than the timeout ends the command', async () => {
  const { code, stdout } = await runSurvives('--setup', 'exec sleep 1000', '--timeout', '1', '--', 'true')
  expect(stdout).toContain('The setup of run 1 failed: it takes more real time than --timeout allows')
  expect(code).toBe(1)
})

test('a command without a name has the exit code 2', async () => {
  const { code, stderr } = await runSurvives('--', '')
  expect([code, stderr]).toEqual([2, expect.stringContaining('survives needs a command')])
})

test('a command that cannot be started has the exit code 2, and the message says why', async () => {
  for (const [program, why] of [
    ['no-such-program', 'there is no such file'],
    [newFile('data.txt', ''), 'permission denied'],
  ] as const) {
    const { code, stderr } = await runSurvives('--', program)
    expect(stderr).toContain(`fauxgate: "${program}" cannot be started: ${why}. Check the name of the command.`)
    expect(code).toBe(2)
  }
})

/** Creates an address, and fails with the status of an error. */
const CREATE = `
const headers = { authorization: 'Bearer key', 'ngrok-version': '2', 'content-type': 'application/json' }
const response = await fetch(process.env.FAUXGATE_URL + '/reserved_addrs', { method: 'POST', headers, body: '{}' })
if (!response.ok) throw new Error('status ' + response.status)
`

test('a copied replay has the flags of its search, and so the same verdict', async () => {
  const flags = [
    ...['--kinds', '5xx', '--kinds', '429', '--also', 'slow', '--faults', '1', '--max', '500', '--restart'],
    ...['--may-leave', 'reserved_addrs', '--allow', "it isn't the quota", '--ignore', 'reserved_addrs.metadata'],
    ...['--within', '1h', '--timeout', '50', '--jobs', '2', '--setup', 'exit 0', '--switches', '1'],
  ]
  const found = await runSurvives(...flags, '--', process.execPath, newFile('create.mjs', CREATE))
  const [head = ''] = found.stdout.split('\n')
  expect(head).toMatch(/does not survive one fault: .*, which --allow does not accept/)
  const replay = /Replay: fauxgate (.*)/.exec(found.stdout)?.[1]
  expect(replay).toMatch('--may-leave reserved_addrs')
  const again = spawnSync('sh', ['-c', `'${process.execPath}' '${inject('command')}' ${replay}`], { encoding: 'utf8' })
  expect([again.status, again.stdout.split('\n')[0]]).toEqual([1, head])
})

test.each([
  ['an uncaught error of Node', `throw Object.assign(new Error('no quota'), { code: 4, cause: new Error('why') })`],
  ['an error that Node prints', `console.error(new Error('no quota')); process.exitCode = 1`],
])('the message of %s is the line above its stack, which --allow matches', async (_what, line) => {
  const program = newFile('create.mjs', CREATE.replace(/throw .*/, `{ ${line} }`))
  const run = (allow: string) => runSurvives('--kinds', '429', '--allow', allow, '--', process.execPath, program)
  const { code, stdout } = await run('status')
  expect([code, stdout.split('\n')[0]]).toEqual([1, expect.stringMatching(/exit code 1: Error: no quota, which/)])
  expect((await run('^exit code 1: Error: no quota$')).stdout).toMatch('0 fail')
})

test('a flag that can be repeated takes one value each time, and a second one is an error that says so', async () => {
  const program = ['--', process.execPath, newFile('create.mjs', CREATE)]
  const { stdout } = await runSurvives('--kinds', 'lost', '--kinds', '5xx', ...program)
  expect(stdout).toMatch('all 4 with one fault were tried')
  const { code, stderr } = await runSurvives('--kinds', 'lost', '5xx', ...program)
  expect(stderr).toContain(
    'fauxgate: --kinds takes one value. For several, repeat it: --kinds KIND --kinds KIND. See "fauxgate help survives".',
  )
  expect(code).toBe(2)
})

test('the help shows the number of jobs that the command has by default', async () => {
  const { stdout } = await runToEnd({}, 'help', 'survives')
  expect(stdout.replace(/\s+/g, ' ')).toMatch('ports, or a database. (default: 8)')
})

test.each([
  [['--timeout', '20s'], '--timeout is "20s". Allowed: a number above 0.'],
  [['--timeout', '0'], '--timeout is 0. Allowed: a number above 0.'],
  [['--jobs', 'x'], '--jobs is "x". Allowed: a number above 0.'],
  [['--faults', '0'], '--faults is 0. Allowed: an integer from 1 to 8.'],
  [['--faults', '1.5'], '--faults is 1.5. Allowed: an integer from 1 to 8.'],
  [['--faults', '99'], '--faults is 99. Allowed: an integer from 1 to 8.'],
  [['--copies', '2', '--faults', '99'], '--faults is 99. Allowed: with copies, 0 or 1.'],
  [['--allow', '('], '--allow is "(". Allowed: a regular expression.'],
  [['--also', 'clock'], '--also is "clock". Allowed: late, slow.'],
  [['--max', '0'], '--max is 0. Allowed: an integer from 1'],
  [['--may-leave', 'addrs'], '--may-leave contains "addrs", which is not a family. Allowed: '],
  [['--ignore', 'reserved_addr'], '--ignore contains "reserved_addr", but there is no family "reserved_addr".'],
  [
    ['--replay', 'POST'],
    '--replay is "POST". Allowed: the text of a report, such as "POST /reserved_addrs#1 lost-after".',
  ],
  [['--copies', '2', '--may-leave', 'vaults'], '--may-leave was passed together with copies.'],
])('the value of a flag that is not allowed has the exit code 2 and is named: %j', async (args, message) => {
  const { code, stderr } = await runSurvives(...args, '--', 'true')
  expect(stderr).toContain(`fauxgate: ${message}`)
  expect(code).toBe(2)
})

// Below a file: the cache of Node's compiler creates a folder that is only missing, from Node 22 on.
test('a folder for temporary files that cannot be created ends the command with the exit code 1', async () => {
  const folder = join(newFile('file', ''), 'gone')
  const { output, exited } = startProcess({ TMPDIR: folder }, 'survives', '--', 'true')
  expect(await exited).toBe(1)
  expect(output.stderr).toBe(
    `fauxgate: ${folder} cannot be written: part of its path is not a folder. Choose a folder that you can write to, in a folder that exists.\n`,
  )
})

/** Sends a request. If it fails, the program and a process that it starts run until the test ends. */
const STAY = `
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
const { FAUXGATE_URL, PORT } = process.env
const headers = { authorization: 'Bearer key', 'ngrok-version': '2' }
const isOk = await fetch(FAUXGATE_URL + '/vaults', { headers }).then(({ ok }) => ok, () => false)
if (!isOk) {
  connect(PORT)
  spawn(process.execPath, ['-e', 'net.connect(process.env.PORT)'], { stdio: 'inherit' })
}
`

/** Starts a process that inherits the output, and ends when it has connected to the test. */
const LEAVE = `
import { spawn } from 'node:child_process'
import { once } from 'node:events'
const { FAUXGATE_URL, DETACHED } = process.env
const headers = { authorization: 'Bearer key', 'ngrok-version': '2' }
await fetch(FAUXGATE_URL + '/vaults', { headers }).catch(() => undefined)
const program = "net.connect(process.env.PORT, () => process.send('connected'))"
const stdio = ['inherit', 'inherit', 'inherit', 'ipc']
const child = spawn(process.execPath, ['-e', program], { stdio, detached: DETACHED === 'yes' })
await once(child, 'message')
process.exit()
`

/** Listens for processes that connect, and disconnects them at the end of the test, so that they end. */
async function watchProcesses() {
  const sockets: Socket[] = []
  const server = createServer((socket) => void sockets.push(socket.on('error', () => undefined).resume()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo // It listens at a port.
  const folder = newFolder()
  const environment = { PORT: String(port), TMPDIR: folder }
  return { sockets, environment, listFolders: () => readdirSync(folder).filter((name) => /^fauxgate-/.test(name)) }
}

describe.skipIf(process.platform === 'win32')('survives leaves no process behind', LONG, () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('%s ends the running commands, what they started, and the folder', async (signal, exitCode) => {
    const { sockets, environment, listFolders } = await watchProcesses()
    const command = [process.execPath, newFile('stay.mjs', STAY)]
    const { child, output, exited } = startProcess(environment, 'survives', '--silence=600', '--', ...command)
    // Meanwhile, another command waits for its response.
    await waitUntil(() => sockets.length >= 4)
    expect(listFolders()).toHaveLength(1)
    child.kill(signal)
    expect([await exited, output]).toEqual([
      exitCode,
      { stdout: '', stderr: `fauxgate: stopped by ${signal}; the running commands were killed.\n` },
    ])
    expect(listFolders()).toEqual([])
    await waitUntil(() => sockets.every(({ closed }) => closed))
  })

  test('a second signal has its usual effect, because the first one removes the listeners', async () => {
    const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => process.listenerCount(name))
    const before = listeners()
    const { sockets, environment } = await watchProcesses()
    const command = [process.execPath, newFile('stay.mjs', STAY)]
    const started = startCommand(environment, ['survives', '--', ...command])
    await waitUntil(() => sockets.length > 0)
    process.emit('SIGINT', 'SIGINT')
    expect(listeners()).toEqual(before)
    expect(await (await started).stop()).toBe(130)
  })

  test.each([
    ['its process group', 'no'],
    ['a session of its own', 'yes'],
  ])('a process in %s that keeps the output of a command does not keep the command', async (_where, DETACHED) => {
    const { sockets, environment } = await watchProcesses()
    const command = [process.execPath, newFile('leave.mjs', LEAVE)]
    const { output, exited } = startProcess(
      { ...environment, DETACHED },
      'survives',
      '--kinds',
      '5xx',
      '--',
      ...command,
    )
    expect([await exited, output]).toEqual([
      0,
      { stdout: expect.stringMatching(/^(\d+) of \1 schedules with up to 1 fault; 0 fail\n$/), stderr: '' },
    ])
    if (DETACHED === 'no') await waitUntil(() => sockets.every(({ closed }) => closed))
    else expect(sockets.filter(({ closed }) => closed)).toEqual([])
  })
})
