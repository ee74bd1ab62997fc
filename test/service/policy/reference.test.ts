import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatPolicyPage } from '../../../scripts/generate/policy-reference.ts'
import { createPolicySchema } from '../../../scripts/generate/policy-schema.ts'
import { languageErrors } from '../../../src/service/policy/index.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('The reference describes each action, field, variable, function and warning that policies have', () => {
  expect(read('docs/reference/traffic-policies.md')).toContain(formatPolicyPage())
})

test('policy.schema.json describes the actions that policies have', () => {
  expect(JSON.parse(read('policy.schema.json'))).toEqual(createPolicySchema())
})

test('The catalogue of errors has each error of policies, with its code, status and reason', () => {
  const catalogue = read('docs/reference/error-catalogue.md')
  for (const [key, { number, status, message }] of Object.entries(languageErrors))
    expect(catalogue).toContain(`## ${key}\n\n\`ERR_NGROK_${number}\`; status ${status}.\n\n> ${message({})}`)
})
