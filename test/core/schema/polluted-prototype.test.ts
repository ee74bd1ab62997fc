import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { startProcess } from '../../support/command.ts'
import { newFolder } from '../../support/folder.ts'

const MESSAGE =
  'Object.prototype has the enumerable property "extra", so every object seems to have a field with that name. Remove it, or ' +
  'define it with Object.defineProperty, which makes it non-enumerable.'

/** Runs work while all objects have an enumerable property more. */
function whilePolluted<T>(work: () => T): T {
  Reflect.set(Object.prototype, 'extra', () => 1)
  try {
    return work()
  } finally {
    Reflect.deleteProperty(Object.prototype, 'extra')
  }
}

test('An enumerable property of Object.prototype is named, where it would be taken for an option or a field', () => {
  const gateway = createGateway()
  const refused = new TypeError(MESSAGE)
  expect(() => whilePolluted(() => createGateway({ seed: 'a' }))).toThrow(refused)
  expect(() => whilePolluted(() => gateway.reservedAddrs.create())).toThrow(refused)
  expect(() => whilePolluted(() => gateway.restore(structuredClone(gateway.snapshot())))).toThrow(refused)
  expect(gateway.reservedAddrs.create().id).toMatch(/^ra_/)
})

test('A config file that adds one gets that message', async () => {
  const config = join(newFolder(), 'c.mjs')
  writeFileSync(config, 'Object.prototype.extra = 1\nexport default { port: 0 }')
  // In its own process, because such a property reaches all code.
  const { output, exited } = startProcess({}, 'serve', '--config', config)
  expect(await exited).toBe(2)
  expect(output.stderr).toBe(`fauxgate: ${MESSAGE} See "fauxgate help serve".\n`)
})
