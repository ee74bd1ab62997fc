// Runs ngrok's Terraform provider, unmodified, against a served gateway: see checkTerraform. `terraform init` installs the
// provider as it does everywhere: from the registry, or from a mirror that Terraform's CLI configuration names.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { manualClock } from '../../dist/index.js'
import { createNgrok } from '../../dist/ngrok.js'
import { serve } from '../../dist/node.js'
import { FAMILIES, texts } from './bodies.mjs'
import { pickKnownFields, removeBlanks } from './compare.mjs'
import { CACHE, MissingError } from './drivers.mjs'

/** The version of the provider that terraform/main.tf names, with its numbers of resources and data sources. */
export const PROVIDER = '0.8.0'
const RESOURCES = 18
const DATA_SOURCES = 22

const KEY = 'the key of Terraform'
const toPath = (name) => fileURLToPath(new URL(name, import.meta.url))

/**
 * The resources whose plan is not empty after an import. No response has the value of a secret, a private key, or the type
 * of the key of an SSH authority, and the provider does not import the policy of an agent ingress.
 */
const CHANGED_BY_IMPORT = {
  'ngrok_agent_ingress.all': 'update',
  'ngrok_secret.all': 'update',
  'ngrok_ssh_certificate_authority.all': 'create,delete',
  'ngrok_tls_certificate.all': 'create,delete',
}

/** A folder with a configuration, in which Terraform or OpenTofu runs. */
class Workspace {
  folder = mkdtempSync(join(tmpdir(), 'fauxgate-terraform-'))

  async run(...args) {
    const plugins = join(CACHE, 'terraform-plugins')
    mkdirSync(plugins, { recursive: true })
    const env = {
      ...process.env,
      CHECKPOINT_DISABLE: '1',
      TF_IN_AUTOMATION: '1',
      TF_PLUGIN_CACHE_DIR: plugins,
      TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: '1',
    }
    // The gateway is in this process, so a synchronous call would wait for itself.
    return new Promise((resolve, reject) => {
      execFile(this.command, args, { cwd: this.folder, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
        if (error?.code === 'ENOENT') reject(new MissingError(`${this.command} is missing`))
        else resolve({ status: error === null ? 0 : error.code, stdout, stderr })
      })
    })
  }

  async expect(...args) {
    const { status, stdout, stderr } = await this.run(...args)
    assert.equal(status, 0, `${this.command} ${args.join(' ')}\n${stdout}${stderr}`)
    return stdout
  }

  /** Installs the provider. Returns the name and version of the program. */
  async init() {
    for (const [command, name] of [
      ['terraform', 'Terraform'],
      ['tofu', 'OpenTofu'],
    ]) {
      this.command = command
      const found = await this.run('version', '-json').catch((error) => error)
      if (found instanceof MissingError) continue
      const { status, stderr } = await this.run('init', '-input=false', '-no-color')
      if (status === 0) return `${name} ${JSON.parse(found.stdout).terraform_version}`
      const [reason = 'terraform init failed'] = /could not .*/i.exec(stderr.replace(/\s+/g, ' ')) ?? []
      throw new MissingError(`its provider is not available: ${reason.slice(0, 120)}`)
    }
    throw new MissingError('terraform and tofu are missing')
  }

  write(name, value) {
    writeFileSync(join(this.folder, name), typeof value === 'string' ? value : JSON.stringify(value))
  }

  add(name) {
    cpSync(toPath(`terraform/${name}`), join(this.folder, name))
  }

  remove(name) {
    rmSync(join(this.folder, name), { recursive: true })
  }

  apply = () => this.expect('apply', '-auto-approve', '-input=false', '-no-color')
  destroy = () => this.expect('destroy', '-auto-approve', '-input=false', '-no-color')

  async expectEmptyPlan(when) {
    const { status, stdout, stderr } = await this.run('plan', '-detailed-exitcode', '-input=false', '-no-color')
    assert.equal(status, 0, `the plan ${when} is not empty\n${stdout}${stderr}`)
  }

  /** Returns what a plan would do to each resource that it changes. */
  async listChanges() {
    await this.expect('plan', '-out=plan', '-input=false')
    const { resource_changes } = JSON.parse(await this.expect('show', '-json', 'plan'))
    const changes = resource_changes.map(({ address, change }) => [address, change.actions.toSorted().join()])
    return Object.fromEntries(changes.filter(([, actions]) => actions !== 'no-op'))
  }

  /** Returns the resources or data sources of the state. */
  async list(mode) {
    const { values } = JSON.parse(await this.expect('show', '-json'))
    return values.root_module.resources.filter((each) => each.mode === mode)
  }
}

/** Creates what only the service creates, and returns the ids. */
function declareOthers({ declare, kubernetesOperators, tunnelSessions }) {
  const user = declare.applicationUser({ name: 'Kim' }).id
  declare.tunnelSession({ metadata: 'm' })
  return {
    application_user: user,
    application_session: declare.applicationSession({ user }).id,
    operator: kubernetesOperators.create(FAMILIES.kubernetes_operators.create(1)).id,
    tunnel_session: tunnelSessions.list().tunnel_sessions[0].id,
  }
}

/** Returns a list of values for one of objects with a value, as the provider shows `resolves_to`. */
const flatten = (field) => (Array.isArray(field) ? field.map((each) => each.value ?? each) : field)

/** Expects that each attribute that the gateway's response also has is equal. Returns the number of attributes. */
async function compareAll(gateway, instances) {
  let attributes = 0
  for (const { address, values } of instances) {
    const headers = { authorization: `Bearer ${KEY}`, 'ngrok-version': '2' }
    const response = await gateway.fetch(String(new URL(values.uri, gateway.url)), { headers })
    assert.equal(response.status, 200, address)
    const truth = await response.json()
    for (const name of Object.keys(values).filter((each) => each in truth && each !== 'token')) {
      const expected = removeBlanks(pickKnownFields(flatten(truth[name]), values[name]))
      assert.deepEqual(removeBlanks(values[name]), expected, `${address}.${name}`)
      attributes++
    }
  }
  return attributes
}

/** Expects that the provider reads an operator, gets it, and then fails by itself. */
async function expectUnreadable(space, gateway) {
  space.add('operator.tf')
  const { status, stderr } = await space.run('plan', '-input=false', '-no-color')
  const { path, status: answered } = gateway.requests.last({ operation: 'kubernetes_operators.get' })
  assert.deepEqual([status, answered], [1, 200], path)
  assert.match(stderr, /Value Conversion Error/)
  space.remove('operator.tf')
}

/** Creates all resources. The plan must be empty, also when the domain has its certificate. */
async function checkCreation(space, gateway) {
  await space.apply()
  await space.expectEmptyPlan('after the creation')
  gateway.clock.advance('1h')
  assert.notEqual(gateway.reservedDomains.list().reserved_domains[0].certificate, null)
  await space.expectEmptyPlan('after the domain got its certificate')
}

/** Reads each data source. Returns the number of attributes. */
async function checkReads(space, gateway) {
  space.add('reads.tf')
  await space.apply()
  const read = await space.list('data')
  assert.equal(read.length, DATA_SOURCES - 1, 'the number of data sources that the provider can read')
  space.remove('reads.tf')
  await expectUnreadable(space, gateway)
  return compareAll(gateway, read)
}

/** Changes an attribute of each resource. */
async function checkChange(space, variables) {
  space.write('terraform.tfvars.json', { ...variables, description: 'changed' })
  const changes = Object.values(await space.listChanges())
  assert.deepEqual(changes, Array(RESOURCES).fill('update'))
  await space.apply()
  await space.expectEmptyPlan('after the change')
}

/** Imports each resource into an empty state. Returns the number of attributes that Terraform then knows. */
async function checkImport(space, gateway) {
  const made = await space.list('managed')
  space.remove('terraform.tfstate')
  const imports = made.map(({ address, values }) => `import {\n  to = ${address}\n  id = "${values.id}"\n}\n`)
  space.write('imports.tf', imports.join(''))
  assert.deepEqual(await space.listChanges(), CHANGED_BY_IMPORT, 'the changes after the import')
  await space.apply()
  await space.expectEmptyPlan('after the import')
  return compareAll(gateway, await space.list('managed'))
}

/**
 * Creates all resources, changes each, imports each into an empty state, and destroys all. After each step the plan must be
 * empty. Reads each data source. Returns the program and the numbers as a text.
 * @throws MissingError if Terraform or the provider is missing.
 */
export async function checkTerraform() {
  const gateway = createNgrok({ keys: [KEY], clock: manualClock('2026-01-01T00:00:00Z') })
  const declared = declareOthers(gateway)
  const others = gateway.leftovers()
  const server = await serve(gateway)
  const space = new Workspace()
  const variables = {
    url: server.url,
    key: KEY,
    description: texts.description,
    authority: gateway.authority.certificatePem,
    fixtures: toPath('../../test/fixtures/x509'),
    public_key: FAMILIES.ssh_credentials.create().public_key,
    declared,
  }
  try {
    space.add('main.tf')
    space.write('terraform.tfvars.json', variables)
    const program = await space.init()
    await checkCreation(space, gateway)
    const read = await checkReads(space, gateway)
    await checkChange(space, variables)
    const imported = await checkImport(space, gateway)
    await space.destroy()
    assert.deepEqual(gateway.leftovers(), others, 'resources are left after destroy')
    const sources = `${DATA_SOURCES} data sources, one of which it cannot read`
    const requests = gateway.requests.count()
    return `with ${program}: ${RESOURCES} resources, ${sources}, ${read + imported} attributes, ${requests} requests`
  } finally {
    await server.close()
    rmSync(space.folder, { recursive: true })
  }
}
