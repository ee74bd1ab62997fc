// Deploys the sandboxes from the packed package, by README.md of `fauxgate sandbox init`: `npm run check -- sandbox
// [--all]`. It needs no Docker: the lines of the Dockerfile run in an empty folder, by a user who is not root. If
// workerd cannot be installed, it skips this and says so; with --all it fails. Needs `npm run build`.
import assert from 'node:assert/strict'
import { execSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { load as parse } from 'js-yaml'
import { ownPort } from '../../scripts/own-port.mjs'
import { inFolder, install, pack, run } from '../../scripts/shared.mjs'
import { installWorkerd } from '../../scripts/workerd.mjs'

const NOBODY = process.getuid() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Returns the instructions of a Dockerfile, in order. */
const parseInstructions = (text) => [...text.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name, rest]) => ({ name, rest }))

/** Builds an image by its instructions, with its home in a folder. Returns its command and its options. */
async function buildImage(deploy, home) {
  mkdirSync(home)
  if (NOBODY.uid) chownSync(home, NOBODY.uid, NOBODY.gid)
  const port = await ownPort()
  const env = { PATH: process.env.PATH, HOME: home, FAUXGATE_PORT: String(port) }
  const options = { cwd: home, env, ...NOBODY }
  const image = { options }
  let user = 'root'
  for (const { name, rest } of parseInstructions(readFileSync(join(deploy, 'Dockerfile'), 'utf8'))) {
    if (name === 'USER') user = rest
    if (name === 'WORKDIR') assert.equal(rest, '/home/node')
    if (name === 'COPY') {
      assert.equal(rest, '--chown=node package*.json *.tgz ./')
      for (const name of readdirSync(deploy).filter((each) => /^package.*\.json$|\.tgz$/.test(each))) {
        copyFileSync(join(deploy, name), join(home, name))
        if (NOBODY.uid) chownSync(join(home, name), NOBODY.uid, NOBODY.gid)
      }
    }
    if (name === 'RUN') {
      assert.equal(user, 'node')
      execSync(rest, { ...options, stdio: ['ignore', 'ignore', 'inherit'] })
    }
    if (name === 'VOLUME') image.volume = rest
    if (name === 'EXPOSE') image.port = rest
    if (name === 'HEALTHCHECK') image.check = rest.replace(/.*? CMD /, '').replace('8787', port)
    if (name === 'CMD') image.command = JSON.parse(rest)
  }
  return image
}

const isHealthy = ({ check, options }) => spawnSync('sh', ['-c', check], options).status === 0

/** Starts a container of an image, and waits until it prints how to create a sandbox. */
async function startContainer({ command: [program, ...args], options }) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const text of child.stdout.iterator({ destroyOnReturn: false })) {
    output += text
    if (/curl.*\n/.test(output)) return { child, output, curl: /curl.*/.exec(output)[0] }
  }
  throw new Error(`It ended before it listened: ${output}`)
}

/** Kills all processes of a container at once. */
async function kill({ child }) {
  const processes = execSync('ps -A -o pid= -o ppid=', { encoding: 'utf8' }).trim().split('\n')
  const children = processes
    .map((line) => line.trim().split(/ +/).map(Number))
    .filter(([, parent]) => parent === child.pid)
  // workerd, and the process that ends it if this one is killed.
  assert.equal(children.length, 2)
  const exited = once(child, 'exit')
  for (const pid of [child.pid, ...children.map(([pid]) => pid)]) process.kill(pid, 'SIGKILL')
  await exited
}

async function check(folder) {
  chmodSync(folder, 0o755)
  const tarball = pack(folder)
  install(folder, tarball)
  const command = join(folder, 'node_modules/.bin/fauxgate')
  const { status, stderr } = spawnSync(command, ['sandbox'], { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /npm install --save-dev workerd/)
  run(folder, command, 'sandbox', 'init', 'deploy')
  const deploy = join(folder, 'deploy')
  copyFileSync(tarball, join(deploy, basename(tarball)))
  run(deploy, 'npm', 'install', '--no-fund', '--no-audit', `./${basename(tarball)}`)

  const image = await buildImage(deploy, join(folder, 'home'))
  const { sandboxes } = parse(readFileSync(join(deploy, 'compose.yaml'), 'utf8')).services
  assert.deepEqual(sandboxes.volumes, [`data:${image.volume}`])
  assert.deepEqual(sandboxes.ports, [`127.0.0.1:${image.port}:${image.port}`])
  assert.equal(isHealthy(image), false)

  const first = await startContainer(image)
  assert.equal(isHealthy(image), true)
  const created = JSON.parse(execSync(`${first.curl} --silent --show-error`, { ...image.options, encoding: 'utf8' }))
  const headers = { authorization: `Bearer ${created.api_key}`, 'service-version': '2' }
  const addresses = `${created.url}/reserved_addrs`
  assert.equal((await fetch(addresses, { method: 'POST', headers })).status, 201)
  await kill(first)

  const second = await startContainer(image)
  assert.doesNotMatch(second.output, /account key is/)
  assert.equal((await (await fetch(addresses, { headers })).json()).reserved_addrs.length, 1)
  second.child.kill('SIGTERM')
  const [code] = await once(second.child, 'exit')
  assert.equal(code, 0)
  console.log('ok  the sandboxes of the packed package: installed, built, started, killed, started again, stopped')
}

if (installWorkerd('the sandboxes of the packed package')) await inFolder(check)
